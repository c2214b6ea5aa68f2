// nvidia-smi -q -x: one XML document a poll; a loop (-l, or a shell) writes them one behind the other.
// Elements: NVIDIA, nvsmi_device_v10 to v13.dtd. Power is in power_readings, since driver 530 in gpu_power_readings;
// module_power_readings and gpu_memory_power_readings beside it have the same children and are other meters.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <pugixml.hpp>
#include <unordered_map>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/nvidia_smi.h"
#include "trace/option_fit.h"
#include "trace/poll_log.h"
#include "trace/reader.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "nvidia-smi-xml";
constexpr std::string_view kOpen = "<nvidia_smi_log";
constexpr std::string_view kClose = "</nvidia_smi_log>";
/// Eight GPUs take 200 kB; with 4000 accounted processes each, 10 MB.
constexpr std::size_t kMaxDocument = std::size_t{16} << 20;

Reading reading_of(pugi::xml_node parent, const char* child) { return read_power(trim(parent.child_value(child)), {}); }

std::optional<double> watts_of(pugi::xml_node parent, std::initializer_list<const char*> children) {
  for (const char* child : children) {
    const Reading reading = reading_of(parent, child);
    if (reading.kind == Reading::Kind::value) return reading.value;
  }
  return std::nullopt;
}

struct Draw {
  const char* element;
  PowerKind kind;
};
/// In order of preference, as for the columns of --query-gpu.
constexpr std::array<Draw, 3> kDraws{{{"instant_power_draw", PowerKind::instant},
                                      {"power_draw", PowerKind::plain},
                                      {"average_power_draw", PowerKind::average}}};

class SmiXml {
 public:
  SmiXml(Input& input, const ReadOptions& options)
      : input_(input),
        builder_(input.name(), std::string(kName)),
        polls_(builder_, input, options),
        options_(options) {}

  Result<Trace> read();

 private:
  Result<void> read_line(std::string_view line);
  void outside(std::string_view text);
  void read_document();
  void read_gpu(pugi::xml_node gpu, std::size_t position);
  std::size_t device_of(pugi::xml_node gpu, std::size_t position);

  Input& input_;
  Builder builder_;
  PollLog polls_;
  const ReadOptions& options_;
  std::string document_;
  std::string document_place_;
  bool collecting_ = false;
  bool cut_ = false;                                      ///< a line of the document was longer than lines are read
  std::unordered_map<std::string, std::size_t> devices_;  ///< by UUID or bus id
  bool all_gpus_ = false;                                 ///< the document has all that are attached
  bool by_bus_ = false;
  bool by_position_ = false;
  const char* power_element_ = nullptr;     ///< the first that power was taken from, and
  const char* readings_element_ = nullptr;  ///< the one that it is in
  bool mixed_ = false;                      ///< not always the same element
};

/// The order in a document is nvidia-smi's index where all GPUs are in it; else the bus id is the name.
std::size_t SmiXml::device_of(pugi::xml_node gpu, std::size_t position) {
  const std::string bus = printable(trim(gpu.attribute("id").value()), 40);
  const std::string uuid = printable(trim(gpu.child_value("uuid")), 80);
  const std::string key = uuid.empty() && bus.empty() ? fmt::format("#{}", position) : fmt::format("{} {}", uuid, bus);
  if (const auto at = devices_.find(key); at != devices_.end()) return at->second;
  const std::string index = all_gpus_ ? fmt::format("{}", position) : std::string();
  std::string name = all_gpus_ ? index : bus;
  const auto taken = [&](const std::string& n) {
    return std::ranges::any_of(builder_.trace().series, [&n](const Series& s) { return s.device.name == n; });
  };
  if (name.empty() || taken(name)) name = !bus.empty() ? bus : uuid;
  if (name.empty() || taken(name)) name = fmt::format("{} {}", bus, devices_.size());
  (name == index ? by_position_ : by_bus_) = true;
  const std::size_t device = builder_.device(name);
  Device& d = builder_.series(device).device;
  d.uuid = is_unknown_cell(uuid) ? "" : uuid;
  const std::string model = printable(trim(gpu.child_value("product_name")), 80);
  d.model = is_unknown_cell(model) ? "" : model;
  if (devices_.size() < 8192) devices_.emplace(key, device);  // beyond that the builder refuses
  return device;
}

void SmiXml::read_gpu(pugi::xml_node gpu, std::size_t position) {
  pugi::xml_node readings = gpu.child("gpu_power_readings");
  if (!readings) readings = gpu.child("power_readings");
  if (!readings) return builder_.damaged(document_place_, "a GPU without gpu_power_readings or power_readings");
  const Draw* draw = nullptr;
  double power_w = kUnknown;
  for (const Draw& d : kDraws) {
    const pugi::xml_node element = readings.child(d.element);
    if (!element) continue;
    const Reading reading = reading_of(readings, d.element);
    if (reading.kind == Reading::Kind::unreadable) {
      return builder_.damaged(document_place_,
                              fmt::format("'{}' is no power", printable(trim(element.child_value()), 40)));
    }
    if (reading.kind != Reading::Kind::value) continue;
    draw = &d;
    power_w = reading.value;
    break;
  }
  const std::size_t device = device_of(gpu, position);
  polls_.row(device, power_w);
  Device& d = builder_.series(device).device;
  if (draw != nullptr) {
    if (power_element_ != nullptr && std::string_view(power_element_) != draw->element) {
      builder_.note(fmt::format("Power is <{}> in some places and <{}> in others.", power_element_, draw->element));
      mixed_ = true;
    }
    d.meter = meter_of(draw->kind, d.model);
    if (power_element_ == nullptr) {
      power_element_ = draw->element;
      readings_element_ = gpu.child("gpu_power_readings") ? "gpu_power_readings" : "power_readings";
    }
    if (draw->kind != PowerKind::average) {
      if (const auto average = watts_of(readings, {"average_power_draw"})) polls_.set(Column::average_w, *average);
    }
  }
  if (const auto w = watts_of(readings, {"enforced_power_limit", "current_power_limit", "power_limit"})) {
    polls_.set(Column::limit_w, *w);
  }
  if (const auto w = watts_of(readings, {"default_power_limit", "max_power_limit"})) d.nameplate = Watts(*w);
}

void SmiXml::read_document() {
  if (cut_) return builder_.damaged(document_place_, "a line of it is longer than 1 MiB");
  pugi::xml_document xml;
  const auto parsed = xml.load_buffer_inplace(document_.data(), document_.size(),
                                              pugi::parse_minimal | pugi::parse_escapes, pugi::encoding_utf8);
  if (!parsed) {
    return builder_.damaged(document_place_,
                            fmt::format("no XML ({}, {} bytes on)", parsed.description(), parsed.offset));
  }
  const pugi::xml_node log = xml.child("nvidia_smi_log");
  const std::string_view stamp = trim(log.child_value("timestamp"));
  if (!stamp.empty() && !polls_.stamp(stamp)) {
    return builder_.damaged(document_place_, fmt::format("'{}' is no time", printable(stamp, 40)));
  }
  polls_.next_poll();
  const auto gpus = log.children("gpu");
  const auto count = std::distance(gpus.begin(), gpus.end());
  all_gpus_ = parse_int(log.child_value("attached_gpus")).value_or(0) == count;
  std::size_t position = 0;
  for (const pugi::xml_node gpu : gpus) {
    read_gpu(gpu, position);
    ++position;
  }
  if (position == 0) ++builder_.understanding().other_lines;
}

void SmiXml::outside(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.starts_with("<?xml") || text.starts_with("<!DOCTYPE")) return;
  if (!polls_.stamp(text)) ++builder_.understanding().other_lines;
}

/// A line may hold the end of one document and the start of the next.
Result<void> SmiXml::read_line(std::string_view line) {
  while (!line.empty()) {
    const std::size_t open = line.find(kOpen, collecting_ && document_.empty() ? kOpen.size() : 0);
    const std::size_t close = line.find(kClose);
    if (collecting_ && close <= open && close != std::string_view::npos) {
      const std::size_t end = close + kClose.size();
      document_ += line.substr(0, end);
      line.remove_prefix(end);
      collecting_ = false;
      read_document();
      document_.clear();
      continue;
    }
    if (open == std::string_view::npos) break;
    if (collecting_) builder_.damaged(document_place_, "the document is cut in the middle");
    outside(line.substr(0, collecting_ ? 0 : open));
    line.remove_prefix(open);
    document_.clear();
    document_place_ = input_.place();
    collecting_ = true;
    cut_ = false;
  }
  if (!collecting_) {
    outside(line);
    return {};
  }
  document_ += line;
  document_ += '\n';
  cut_ = cut_ || input_.line_cut();
  if (document_.size() <= kMaxDocument) return {};
  return fail(
      ErrorKind::bad_input, document_place_,
      fmt::format("this document is larger than {} MiB, the most that is read", kMaxDocument >> 20),
      "Check that it is what nvidia-smi -q -x wrote; `nvidia-smi -q -d POWER -x` leaves out what is not power.");
}

Result<Trace> SmiXml::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  while (input_.next_line(line)) {
    if (auto fit = read_line(line); !fit) return std::unexpected(fit.error());
  }
  if (collecting_) builder_.note("The last document was cut while it was written and is left out.");
  Understanding& u = builder_.understanding();
  if (builder_.device_count() == 0 && u.damaged == 0) {
    return fail(ErrorKind::bad_input, input_.name(),
                collecting_ ? "its only document is cut in the middle" : "it holds no <nvidia_smi_log> with a <gpu>",
                "Record it with `nvidia-smi -q -x`.");
  }
  u.power = power_element_ == nullptr ? std::string("<power_draw>")
                                      : fmt::format("<{}> in <{}>", power_element_, readings_element_);
  u.devices = !by_bus_        ? "order in the document, which is nvidia-smi's index"
              : !by_position_ ? "PCI bus id"
                              : "order in the document, and PCI bus id where not all GPUs are in it";
  if (mixed_) {
    for (Series& s : builder_.trace().series) s.device.meter = MeterKind::unknown;
  }
  if (auto placed = polls_.close(); !placed) return std::unexpected(placed.error());
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  const bool xml = head.find(kOpen) != std::string_view::npos;
  return xml ? Match::sure : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return SmiXml(input, options).read(); }

}  // namespace

extern const Reader kNvidiaSmiXml;
const Reader kNvidiaSmiXml{
    .name = kName,
    .summary = "XML of nvidia-smi -q -x, one document or many in one file",
    .looks_for = "an element nvidia_smi_log",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
