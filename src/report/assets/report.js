'use strict';
// Draws the charts over time with dygraphs from the JSON beside them. Text from the data only ever becomes textContent.
(() => {
  const root = document.documentElement;
  const charts = [];
  const dashes = [null, [7, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 4]];
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const series_colour = (i) => colour('s' + (i % 6));

  const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
  const number = (v, digits) => {
    const [whole, part] = Math.abs(v).toFixed(digits).split('.');
    return (v < 0 ? '\u2212' : '') + group(whole) + (part ? '.' + part : '');
  };
  const significant = (v, digits) =>
      v === 0 ? '0' : number(v, Math.max(0, Math.min(6, digits - 1 - Math.floor(Math.log10(Math.abs(v))))));
  /** For an axis: no digits that say nothing. */
  const short = (v) => {
    const [whole, part] = String(Math.abs(Number(v.toPrecision(6)))).split('.');
    return (v < 0 ? '\u2212' : '') + group(whole) + (part ? '.' + part : '');
  };
  const watts = (v) => number(v, Math.abs(v) < 1000 ? 1 : 0);
  const two = (n) => String(n).padStart(2, '0');
  function clock(s, tenths) {
    const t = Math.round(s * 10), whole = Math.floor(t / 10);
    const text = two(Math.floor(whole / 3600)) + ':' + two(Math.floor(whole / 60) % 60) + ':' + two(whole % 60);
    return tenths ? text + '.' + t % 10 : text;
  }

  const day_s = 86400;
  /** Seconds from the midnight before time zero: of the log's clock where it has one, else zero. */
  const origin = (data) => data.t0 === undefined ? 0 : ((data.t0 / 1000) % day_s + day_s) % day_s;
  /** A moment: "09:15:47" on the log's clock, "+00:02:24" from the first sample where there is none. */
  function moment(data, s, tenths) {
    if (data.t0 === undefined) return (s < 0 ? '\u2212' : '+') + clock(Math.abs(s), tenths);
    const t = Math.round((origin(data) + s) * 10) / 10;
    return clock(t - Math.floor(t / day_s) * day_s, tenths);
  }
  const date = (data, s) => new Date(data.t0 + s * 1000).toISOString().slice(0, 10);

  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  function time_ticks(data, a, b, pixels) {
    const most = Math.max(2, Math.floor(pixels / 80));
    let step = steps.find((s) => (b - a) / s <= most);
    if (!step) step = 86400 * Math.ceil((b - a) / 86400 / most);
    const out = [];
    const zero = origin(data);
    for (let k = Math.ceil((a + zero) / step - 1e-9); k * step <= b + zero + 1e-9; ++k) {
      const v = k * step - zero;
      // Midnight of the log's clock is where a new date begins.
      out.push({v, label: data.t0 !== undefined && k * step % day_s === 0 ? date(data, v + 0.5) : moment(data, v, step < 1)});
    }
    return out;
  }

  function element(tag, text, css_class) {
    const e = document.createElement(tag);
    if (text) e.textContent = text;
    if (css_class) e.className = css_class;
    return e;
  }

  /** A piece of legend: a drawing of 22 x 12 and its words. */
  function key(text, draw) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('width', 22);
    svg.setAttribute('height', 12);
    svg.setAttribute('aria-hidden', 'true');
    for (const [tag, attributes] of draw) {
      const shape = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [k, v] of Object.entries(attributes)) shape.setAttribute(k, v);
      svg.append(shape);
    }
    const span = element('span');
    span.append(svg, document.createTextNode(text));
    return span;
  }
  const rect = (y, height, fill, opacity) => ['rect', {x: 0, y, width: 22, height, fill, 'fill-opacity': opacity}];
  const stroke = (name, dash) =>
      ['line', {x1: 0, x2: 22, y1: 6, y2: 6, stroke: name, 'stroke-width': 2, 'stroke-dasharray': dash ? dash.join(' ') : 'none'}];

  function common(chart) {
    const touch = matchMedia('(pointer: coarse)').matches;
    return {
      legend: 'never', stepPlot: true, animatedZooms: false, rightGap: 8, axisLabelFontSize: 12, highlightCircleSize: 3,
      // A finger scrolls the page; the range selector and the keys are there to zoom.
      ...(touch ? {interactionModel: {}} : {}),
      unhighlightCallback: () => { chart.readout.textContent = ''; },
      drawCallback: (g, first) => { if (!first) share_range(chart, g); },
      ...theme(),
    };
  }
  const theme = () => ({
    gridLineColor: colour('grid'), axisLineColor: colour('rule'), rangeSelectorPlotStrokeColor: colour('s0'),
    rangeSelectorPlotFillColor: colour('s0'), rangeSelectorPlotFillGradientColor: '', rangeSelectorForegroundStrokeColor: colour('muted'),
    rangeSelectorBackgroundStrokeColor: colour('rule'),
  });

  let sharing = false;
  function share_range(chart, g) {
    if (sharing || !chart.data.group) return;
    sharing = true;
    const dateWindow = g.xAxisRange();
    for (const other of charts) {
      if (other !== chart && other.data.group === chart.data.group && other.graph) other.graph.updateOptions({dateWindow});
    }
    sharing = false;
  }

  // ---- power of one course against its limits ----

  function rows_of(course) {
    let t = 0;
    return course.dt.map((step, i) => {
      t += step;
      const mid = course.mid[i];
      if (mid === null) return [t / 1000, [null, null, null]];
      return [t / 1000, course.lo ? [course.lo[i], mid, course.hi[i]] : [mid, mid, mid]];
    });
  }

  function range_of(course) {
    const known = (course.lo || course.mid).concat(course.hi || []).filter((v) => v !== null);
    let low = Infinity, high = -Infinity;
    for (const v of known.concat(course.limits.map((l) => l.w).filter((w) => w !== null))) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    if (low > high) return [0, 1];
    if (low < 0.4 * high) low = Math.min(low, 0);
    const margin = Math.max((high - low) * 0.06, 1);
    return [low === 0 ? 0 : low - margin, high + margin];
  }

  function under(chart, context, area, g) {
    const course = chart.course;
    const clip = (ms) => Math.max(area.x, Math.min(area.x + area.w, g.toDomXCoord(ms / 1000)));
    context.save();
    const limit = course.limits[chart.limit];
    context.fillStyle = colour('over');
    for (const [start, end, plateau] of limit ? limit.bands : []) {
      const from = clip(start), to = clip(end);
      if (to <= area.x || from >= area.x + area.w) continue;
      const width = Math.max(to - from, 1);
      context.globalAlpha = plateau ? 0.3 : 0.18;
      context.fillRect(from, area.y, width, area.h);
      context.globalAlpha = 1;
      if (plateau) context.fillRect(from, area.y, Math.max(width, 3), 6);
    }
    // Phases: a strip at the foot, the higher the level the taller, so that it reads without its colour.
    for (const [start, end, level] of course.phases) {
      const from = clip(start), to = clip(end);
      if (to <= from) continue;
      const height = 5 + 4 * level;
      context.fillStyle = series_colour(2 + level);
      context.globalAlpha = 0.75;
      context.fillRect(from, area.y + area.h - height, Math.max(to - from, 0.5), height);
    }
    context.restore();
  }

  function limit_plotter(chart) {
    return (e) => {
      const context = e.drawingContext, area = e.plotArea;
      context.save();
      context.font = '12px sans-serif';
      context.textAlign = 'right';
      const taken = [];
      chart.course.limits.forEach((limit, i) => {
        if (limit.w === null) return;
        const y = e.dygraph.toDomYCoord(limit.w);
        context.strokeStyle = context.fillStyle = colour('limit');
        context.lineWidth = 1.5;
        context.setLineDash(dashes[1 + i % 5]);
        context.beginPath();
        context.moveTo(area.x, y);
        context.lineTo(area.x + area.w, y);
        context.stroke();
        const near = taken.filter((other) => Math.abs(other - y) < 14).length;
        taken.push(y);
        const width = context.measureText(limit.label).width;
        const right = area.x + area.w - 6 - near * 130;
        context.fillStyle = colour('bg');
        context.globalAlpha = 0.75;
        context.fillRect(right - width - 3, y - 17, width + 6, 15);
        context.globalAlpha = 1;
        context.fillStyle = colour('limit');
        context.fillText(limit.label, right, y - 5);
      });
      context.restore();
    };
  }

  function power_legend(chart) {
    const course = chart.course, out = [];
    const line = colour('s0'), over = colour('over');
    if (course.bucketMs > 0) {
      out.push(key('mean, and band from lowest to highest', [rect(1, 10, line, 0.35), stroke(line)]));
    } else {
      out.push(key('power', [stroke(line)]));
    }
    course.limits.forEach((limit, i) => out.push(key('limit ' + limit.label, [stroke(colour('limit'), dashes[1 + i % 5])])));
    const limit = course.limits[chart.limit];
    if (limit && limit.bands.length) {
      out.push(key('above ' + limit.label, [rect(0, 12, over, 0.25)]));
      if (limit.bands.some((b) => b[2])) out.push(key('plateau: bar at the top', [rect(0, 12, over, 0.3), rect(0, 4, over, 1)]));
    }
    course.phaseNames.forEach((name, i) => {
      const height = Math.min(5 + 3 * i, 12);
      out.push(key(name, [rect(12 - height, height, series_colour(2 + i), 0.75)]));
    });
    chart.legend.replaceChildren(...out);
  }

  function show_limits(chart) {
    if (!chart.limit_select) return;
    chart.limit_select.replaceChildren(...chart.course.limits.map((limit, i) => {
      const option = element('option', limit.label);
      option.value = i;
      return option;
    }));
    chart.limit_select.value = chart.limit;
  }

  function power_options(chart) {
    return {
      file: rows_of(chart.course), colors: [colour('s0')], dateWindow: null,
      axes: {y: {valueRange: chart.data.range || range_of(chart.course)}},
    };
  }

  function draw_power(chart) {
    chart.course = chart.data.courses[chart.data.first];
    chart.limit = 0;
    const small = chart.figure.classList.contains('small');
    chart.graph = new Dygraph(chart.plot, rows_of(chart.course), {
      ...common(chart), labels: ['time', 'power'], customBars: true, fillAlpha: 0.35, strokeWidth: 1.2,
      colors: [colour('s0')], ylabel: 'Power (W)', xRangePad: 0, showRangeSelector: !small, rangeSelectorHeight: 30,
      plotter: [Dygraph.Plotters.errorPlotter, Dygraph.Plotters.linePlotter, limit_plotter(chart)],
      underlayCallback: (context, area, g) => under(chart, context, area, g),
      axes: {
        x: {ticker: (a, b, pixels) => time_ticks(chart.data, a, b, pixels), pixelsPerLabel: 100, axisLabelWidth: 90},
        y: {valueRange: chart.data.range || range_of(chart.course), axisLabelFormatter: short, axisLabelWidth: 52},
      },
      highlightCallback: (event, x, points, row) => {
        const y = chart.course.mid[row];
        let text = moment(chart.data, x, true) + '  ' + (y === null ? 'unknown' : watts(y) + ' W');
        if (y !== null && chart.course.lo) text += ` (${watts(chart.course.lo[row])} to ${watts(chart.course.hi[row])} W)`;
        chart.readout.textContent = text;
      },
    });
    power_legend(chart);
    chart.recolour = () => {
      chart.graph.updateOptions({...theme(), colors: [colour('s0')]});
      power_legend(chart);
    };
    const course_select = chart.figure.querySelector('select.course');
    chart.limit_select = chart.figure.querySelector('select.limit');
    if (course_select) {
      course_select.addEventListener('change', () => {
        chart.course = chart.data.courses[Number(course_select.value)];
        chart.limit = 0;
        show_limits(chart);
        chart.figure.querySelector('figcaption').textContent = chart.course.alt;
        chart.graph.updateOptions(power_options(chart));
        power_legend(chart);
      });
    }
    if (chart.limit_select) {
      chart.limit_select.addEventListener('change', () => {
        chart.limit = Number(chart.limit_select.value);
        chart.graph.updateOptions({});
        power_legend(chart);
      });
    }
  }

  // ---- several lines over one time axis ----

  function draw_lines(chart) {
    const {x, lines, steps: stepped, unit} = chart.data;
    const patterns = () => {
      const out = {};
      lines.forEach((line, i) => { out['y' + i] = {strokePattern: dashes[i % dashes.length]}; });
      return out;
    };
    const colours = () => lines.map((line, i) => series_colour(i));
    const highest = Math.max(...lines.flatMap((line) => line.y.filter((v) => v !== null)), 0) || 1;
    const legend = () => chart.legend.replaceChildren(
        ...lines.map((line, i) => key(line.name, [stroke(series_colour(i), dashes[i % dashes.length])])));
    chart.graph = new Dygraph(chart.plot, x.map((t, row) => [t, ...lines.map((line) => line.y[row])]), {
      ...common(chart), labels: ['time', ...lines.map((line, i) => 'y' + i)], stepPlot: stepped, series: patterns(),
      colors: colours(), strokeWidth: 1.8,
      axes: {
        x: {ticker: (a, b, pixels) => time_ticks(chart.data, a, b, pixels), pixelsPerLabel: 100, axisLabelWidth: 90},
        y: {valueRange: [0, highest * 1.08], axisLabelFormatter: (v) => v >= 1e6 ? short(v / 1e6) + ' M' : short(v),
            axisLabelWidth: 60},
      },
      highlightCallback: (event, t, points, row) => {
        chart.readout.textContent = moment(chart.data, t, true) + '  ' + lines.map((line) =>
            line.name + ': ' + (line.y[row] === null ? 'unknown' : significant(line.y[row], 4))).join(', ') + ' (' + unit + ')';
      },
    });
    legend();
    chart.recolour = () => {
      chart.graph.updateOptions({...theme(), colors: colours()});
      legend();
    };
  }

  // ---- keys, theme, print ----

  function on_key(chart, event) {
    const g = chart.graph, [a, b] = g.xAxisRange(), [first, last] = g.xAxisExtremes();
    const pan = {ArrowLeft: -0.2, ArrowRight: 0.2}[event.key];
    const zoom = {'+': 0.5, '=': 0.5, '-': 2}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '0' || event.key === 'Escape') {
      g.updateOptions({dateWindow: null});
    } else if (pan) {
      const move = Math.max(first - a, Math.min(last - b, pan * (b - a)));
      g.updateOptions({dateWindow: [a + move, b + move]});
    } else if (zoom) {
      const middle = (a + b) / 2, half = (b - a) / 2 * zoom;
      g.updateOptions({dateWindow: [Math.max(first, middle - half), Math.min(last, middle + half)]});
    } else {
      return;
    }
    event.preventDefault();
  }

  for (const script of document.querySelectorAll('script.chart-data')) {
    const figure = script.closest('figure');
    const chart = {
      figure, data: JSON.parse(script.textContent), plot: figure.querySelector('.plot'),
      readout: figure.querySelector('.readout'), legend: figure.querySelector('.legend'),
    };
    (chart.data.kind === 'power' ? draw_power : draw_lines)(chart);
    charts.push(chart);
    chart.plot.addEventListener('keydown', (event) => on_key(chart, event));
    const whole = figure.querySelector('button.whole');
    if (whole) whole.addEventListener('click', () => chart.graph.updateOptions({dateWindow: null}));
    for (const control of figure.querySelectorAll('.controls [disabled]')) control.disabled = false;
  }

  const recolour = () => {
    for (const chart of charts) chart.recolour();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
  const closed = [], paper_px = 660;
  addEventListener('beforeprint', () => {
    root.classList.add('printing');
    for (const details of document.querySelectorAll('details:not([open]):not(.licence)')) {
      details.open = true;
      closed.push(details);
    }
    recolour();
    // A canvas whose size changes now would print blank, so what is too wide for paper is made smaller as it is.
    for (const chart of charts) chart.plot.style.zoom = Math.min(1, paper_px / chart.plot.offsetWidth);
  });
  addEventListener('afterprint', () => {
    root.classList.remove('printing');
    for (const details of closed.splice(0)) details.open = false;
    for (const chart of charts) chart.plot.style.zoom = '';
    recolour();
  });
})();
