// What every reader and every plant step does most: reading a number, drawing one, writing one.

#include <benchmark/benchmark.h>

#include <string>

#include "base/rng.h"
#include "base/text.h"
#include "net/json.h"

namespace wattrein {
namespace {

void parse_a_power_cell(benchmark::State& state) {
  const std::string cell = " 387.42";
  for (auto _ : state) benchmark::DoNotOptimize(parse_double(cell));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(cell.size()));
}
BENCHMARK(parse_a_power_cell);

void draw_a_normal(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.normal());
}
BENCHMARK(draw_a_normal);

void write_a_thousand_powers_as_json(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) {
    net::JsonWriter out;
    out.begin_array();
    for (int i = 0; i < 1000; ++i) out.value(300.0 + rng.normal());
    out.end_array();
    benchmark::DoNotOptimize(out.take());
  }
}
BENCHMARK(write_a_thousand_powers_as_json);

}  // namespace
}  // namespace wattrein
