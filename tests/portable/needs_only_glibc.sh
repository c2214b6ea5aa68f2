#!/bin/sh
# needs_only_glibc.sh PROGRAM: what PROGRAM asks the dynamic loader for has to be parts of glibc, and no newer glibc than
# Debian 12's. Prints what it needs; exits 1 when that is too much.
set -eu
program=$1
newest=2.36
# A bare string of names: each belongs to the package libc6.
glibc="libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"

code=0
needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || { echo "$program: no dynamic section; is it a program of this build?" >&2; exit 1; }
for library in $needed; do
  case " $glibc " in
    *" $library "*) echo "needs $library" ;;
    *) echo "$program needs $library, which is not glibc; link it statically where WATTREIN_PORTABLE is set" >&2; code=1 ;;
  esac
done
if readelf -d "$program" | grep -Eq '\((RPATH|RUNPATH)\)'; then
  echo "$program carries a library path of the machine that built it" >&2
  code=1
fi
version=$(readelf -V "$program" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
echo "needs ${version:-no versioned symbol}"
if [ "$(printf '%s\nGLIBC_%s\n' "$version" "$newest" | sort -V | tail -n 1)" != "GLIBC_$newest" ]; then
  echo "$program needs $version; build it on Debian 12 (glibc $newest) so that it runs there too" >&2
  code=1
fi
exit $code
