#include "trace/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "net/json.h"
#include "trace/native_format.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

/// Collects text and hands it on in pieces; after a refusal it swallows the rest.
class Sink {
 public:
  explicit Sink(const Write& write) : write_(write) { text.reserve(kPiece + 1024); }
  /// Hands on what there is, when it is worth it or `all`.
  bool flush(bool all) {
    if (!good_ || text.empty() || (!all && text.size() < kPiece)) return good_;
    good_ = write_(text);
    text.clear();
    return good_;
  }
  std::string text;

 private:
  const Write& write_;
  bool good_ = true;
};

/// The shortest form that reads back the same; nothing for unknown.
void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) return;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end.ptr);
}

bool any_phase(const Trace& trace) {
  return std::ranges::any_of(trace.series, [](const Series& s) { return !s.phase.empty(); });
}

std::vector<ColumnSpec> columns_in(const Trace& trace) {
  std::vector<ColumnSpec> present;
  for (const ColumnSpec& spec : kColumns) {
    if (std::ranges::any_of(trace.series, [&](const Series& s) { return !s.column(spec.column).empty(); })) {
      present.push_back(spec);
    }
  }
  return present;
}

/// Null where the label is unknown.
const std::string* phase_label(const Trace& trace, const Series& s, std::size_t i) {
  if (s.phase.empty() || s.phase[i] < 0) return nullptr;
  const auto index = static_cast<std::size_t>(s.phase[i]);
  return index < trace.phases.size() ? &trace.phases[index] : nullptr;
}

void append_device(std::string& out, const Series& s) {
  const Device& d = s.device;
  out += "# device=" + native_escape(d.name);
  if (!d.uuid.empty()) out += ",uuid=" + native_escape(d.uuid);
  if (!d.model.empty()) out += ",model=" + native_escape(d.model);
  if (!d.host.empty()) out += ",host=" + native_escape(d.host);
  if (d.meter != MeterKind::unknown) out += ",meter=" + native_escape(name(d.meter));
  if (d.nameplate && std::isfinite(d.nameplate->value())) {
    out += ",nameplate_w=";
    append_number(out, d.nameplate->value());
  }
  if (s.backward_stamps != 0) out += fmt::format(",backward_stamps={}", s.backward_stamps);
  out += '\n';
}

void append_head(std::string& out, const Trace& trace) {
  out += fmt::format("{}{}\n", kNativeMagic, kNativeVersion);
  if (!trace.source.empty()) out += "# source=" + native_escape(trace.source) + "\n";
  if (trace.start_unix_ns) out += "# start=" + native_start(*trace.start_unix_ns, trace.start_has_zone) + "\n";
  out += fmt::format("# evidence={}\n", name(trace.evidence));
  if (!trace.workload.empty()) out += "# workload=" + native_escape(trace.workload) + "\n";
  for (const std::string& warning : trace.understanding.warnings) out += "# warning=" + native_escape(warning) + "\n";
  for (const std::string& label : trace.phases) out += "# phase=" + native_escape(label) + "\n";
  for (const Series& s : trace.series) append_device(out, s);
}

}  // namespace

bool write_native(const Trace& trace, const Write& write) {
  Sink sink(write);
  append_head(sink.text, trace);
  const bool phases = any_phase(trace);
  const std::vector<ColumnSpec> columns = columns_in(trace);
  sink.text += phases ? "time_s,device,power_w,phase" : "time_s,device,power_w";
  for (const ColumnSpec& c : columns) sink.text += fmt::format(",{}", c.name);
  sink.text += '\n';

  std::vector<std::string> device_cells;
  std::vector<std::string> phase_cells;
  for (const Series& s : trace.series) device_cells.push_back(native_escape(s.device.name));
  for (const std::string& label : trace.phases) phase_cells.push_back(native_escape(label));

  // The next sample of each device, earliest first; devices of one moment keep the trace's order.
  using Next = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  std::vector<std::size_t> at(trace.series.size(), 0);
  for (std::size_t d = 0; d < trace.series.size(); ++d) {
    if (trace.series[d].size() > 0) queue.emplace(trace.series[d].time_ns[0], d);
  }
  while (!queue.empty()) {
    const auto [time_ns, d] = queue.top();
    queue.pop();
    const Series& s = trace.series[d];
    const std::size_t i = at[d]++;
    if (at[d] < s.size()) queue.emplace(s.time_ns[at[d]], d);

    std::string& out = sink.text;
    append_native_time(out, time_ns);
    out += ',';
    out += device_cells[d];
    out += ',';
    append_number(out, s.power_w[i]);
    if (phases) {
      out += ',';
      if (phase_label(trace, s, i) != nullptr) out += phase_cells[static_cast<std::size_t>(s.phase[i])];
    }
    for (const ColumnSpec& c : columns) {
      out += ',';
      if (const auto& values = s.column(c.column); !values.empty()) append_number(out, values[i]);
    }
    out += '\n';
    if (!sink.flush(false)) return false;
  }
  return sink.flush(true);
}

namespace {

/// "key": [v0, v1, ...] behind a comma; `append` writes element i.
template <class Append>
bool json_array(Sink& sink, std::string_view key, std::size_t n, const Append& append) {
  sink.text += fmt::format(",\n      {}: [", net::json_quote(key));
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) sink.text += ", ";
    append(sink.text, i);
    if (!sink.flush(false)) return false;
  }
  sink.text += ']';
  return true;
}

bool json_numbers(Sink& sink, std::string_view key, const std::vector<double>& values) {
  return json_array(sink, key, values.size(), [&values](std::string& out, std::size_t i) {
    if (std::isfinite(values[i])) return append_number(out, values[i]);
    out += "null";
  });
}

std::string json_text(std::string_view text) { return text.empty() ? "null" : net::json_quote(text); }

bool json_device(Sink& sink, const Trace& trace, const Series& s) {
  const Device& d = s.device;
  sink.text +=
      fmt::format("    {{\n      \"name\": {},\n      \"uuid\": {},\n      \"model\": {},\n      \"host\": {},",
                  net::json_quote(d.name), json_text(d.uuid), json_text(d.model), json_text(d.host));
  sink.text += fmt::format("\n      \"meter\": {},\n      \"nameplate_w\": ", net::json_quote(name(d.meter)));
  if (d.nameplate && std::isfinite(d.nameplate->value())) {
    append_number(sink.text, d.nameplate->value());
  } else {
    sink.text += "null";
  }
  const auto times = [&s](std::string& out, std::size_t i) { out += fmt::format("{}", s.time_ns[i]); };
  if (!json_array(sink, "time_ns", s.size(), times) || !json_numbers(sink, "power_w", s.power_w)) return false;
  const auto phase = [&](std::string& out, std::size_t i) {
    const bool known = phase_label(trace, s, i) != nullptr;
    out += known ? fmt::format("{}", s.phase[i]) : "null";
  };
  if (!s.phase.empty() && !json_array(sink, "phase", s.size(), phase)) return false;
  for (const ColumnSpec& c : kColumns) {
    const auto& values = s.column(c.column);
    if (!values.empty() && !json_numbers(sink, c.name, values)) return false;
  }
  sink.text += "\n    }";
  return true;
}

}  // namespace

bool write_json(const Trace& trace, const Write& write) {
  Sink sink(write);
  std::string& out = sink.text;
  out += fmt::format("{{\n  \"format\": \"wattrein trace\",\n  \"version\": {},\n", kNativeVersion);
  out += fmt::format("  \"source\": {},\n", json_text(trace.source));
  if (trace.start_unix_ns) {
    out += fmt::format("  \"start\": \"{}\",\n", native_start(*trace.start_unix_ns, trace.start_has_zone));
  } else {
    out += "  \"start\": null,\n";
  }
  out += fmt::format("  \"evidence\": \"{}\",\n  \"workload\": {},\n", name(trace.evidence), json_text(trace.workload));
  if (const auto& warnings = trace.understanding.warnings; !warnings.empty()) {
    out += "  \"warnings\": [";
    for (std::size_t i = 0; i < warnings.size(); ++i) out += (i > 0 ? ", " : "") + net::json_quote(warnings[i]);
    out += "],\n";
  }
  out += "  \"phases\": [";
  for (std::size_t i = 0; i < trace.phases.size(); ++i) out += (i > 0 ? ", " : "") + net::json_quote(trace.phases[i]);
  out += "],\n  \"devices\": [";
  for (std::size_t d = 0; d < trace.series.size(); ++d) {
    out += d > 0 ? ",\n" : "\n";
    if (!json_device(sink, trace, trace.series[d])) return false;
  }
  out += trace.series.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return sink.flush(true);
}

}  // namespace wattrein::trace
