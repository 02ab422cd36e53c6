// SPDX-License-Identifier: Apache-2.0
// Draws the plots out of the result that the page holds, and notes in #plotted what the charts then show.
(function () {
  'use strict';
  const result = JSON.parse(document.getElementById('result').textContent);
  const control = new Set(result.arms.filter((arm) => arm.control).map((arm) => arm.name));
  const charts = [];

  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  }

  function short(value) {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e9) return +(value / 1e9).toPrecision(3) + 'G';
    if (size >= 1e6) return +(value / 1e6).toPrecision(3) + 'M';
    if (size >= 1e4) return +(value / 1e3).toPrecision(3) + 'k';
    return String(+value.toPrecision(4));
  }

  // Dots of equal value lie beside each other, the same way in each drawing.
  function jitter(index, count) {
    return count < 2 ? 0 : ((index * 7) % count) / (count - 1) * 0.36 - 0.18;
  }

  function disturbed(row) {
    const runs = (result.runs || []).filter((run) => run.scenario === row.scenario && run.arm === row.arm);
    return (index) => runs.length === row.values.length && runs[index].disturbed;
  }

  function option(rows, log) {
    const text = color('text');
    const soft = color('soft');
    const series = [];
    rows.forEach((row, place) => {
      const paint = control.has(row.arm) ? color('control') : color('dot');
      if (row.low !== null && row.high !== null) {
        series.push({
          name: 'interval ' + row.arm, type: 'line', symbol: 'none', silent: true, animation: false, z: 1,
          lineStyle: { width: 7, color: paint, opacity: 0.3, cap: 'round' },
          data: [[row.low, place], [row.high, place]]
        });
      }
      const hollow = disturbed(row);
      series.push({
        name: 'runs ' + row.arm, type: 'scatter', symbolSize: 8, animation: false, z: 2,
        itemStyle: { color: paint, opacity: 0.75 },
        data: row.values.map((value, index) => ({
          value: [value, place + jitter(index, row.values.length)],
          itemStyle: hollow(index) ? { color: 'transparent', borderColor: paint, borderWidth: 1.5 } : undefined,
          run: index + 1
        })),
        tooltip: {
          formatter: (dot) => dot.value[0] + ' ' + row.unit + ' (' + row.arm + ', run ' + dot.data.run + ')'
        }
      });
      series.push({
        name: 'median ' + row.arm, type: 'scatter', symbol: 'rect', symbolSize: [3, 26], silent: true, animation: false, z: 3,
        itemStyle: { color: color('median') }, data: [[row.median, place]]
      });
    });
    const longest = Math.max(...rows.map((row) => row.arm.length));
    return {
      animation: false,
      grid: { left: Math.min(150, 7 * longest + 16), right: 20, top: 8, bottom: log ? 40 : 26 },
      tooltip: { trigger: 'item', confine: true, backgroundColor: color('card'), borderColor: color('line'), textStyle: { color: text } },
      xAxis: {
        type: log ? 'log' : 'value', scale: true, name: log ? 'log' : '', nameLocation: 'middle', nameGap: 22,
        nameTextStyle: { color: soft },
        axisLine: { onZero: false, lineStyle: { color: soft } },
        axisLabel: { color: soft, formatter: short, hideOverlap: true },
        splitLine: { lineStyle: { color: color('line') } }
      },
      yAxis: {
        type: 'value', min: -0.5, max: rows.length - 0.5, interval: 0.5, inverse: true,
        axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false },
        axisLabel: {
          color: text, width: 140, overflow: 'truncate',
          formatter: (place) => (Number.isInteger(place) && rows[place] ? rows[place].arm : '')
        }
      },
      series: series
    };
  }

  document.querySelectorAll('.plot').forEach((place) => {
    const order = result.arms.map((arm) => arm.name);
    const rows = result.rows
      .filter((row) => row.scenario === place.dataset.scenario && row.metric === place.dataset.metric)
      .sort((a, b) => order.indexOf(a.arm) - order.indexOf(b.arm));
    const lowest = Math.min(...rows.map((row) => row.min));
    const highest = Math.max(...rows.map((row) => row.max));
    const log = lowest > 0 && highest / lowest > 20;
    place.style.height = 40 + 40 * rows.length + 'px';
    const chart = echarts.init(place, null, { renderer: 'svg' });
    charts.push({ chart: chart, rows: rows, log: log, place: place });
  });

  // Half of a page, in CSS pixels: what a drawing has there, whatever the screen is.
  const PAPER_WIDTH = 340;

  function draw(onPaper) {
    charts.forEach((one) => {
      one.chart.resize({ width: onPaper ? PAPER_WIDTH : 'auto' });
      one.chart.setOption(option(one.rows, one.log), true);
      one.chart.getZr().flush(); // who prints does not wait for the next frame
      // Lets paper fit the drawing into the page.
      const drawing = one.place.querySelector('svg');
      drawing.setAttribute('viewBox', '0 0 ' + drawing.getAttribute('width') + ' ' + drawing.getAttribute('height'));
    });
  }

  // What the charts hold, asked from them, for whoever checks the page.
  function note() {
    const plotted = charts.map((one) => ({
      scenario: one.place.dataset.scenario,
      metric: one.place.dataset.metric,
      log: one.log,
      shapes: one.place.querySelectorAll('svg path').length,
      series: one.chart.getOption().series.map((series) => ({
        name: series.name,
        values: series.data.map((item) => (Array.isArray(item) ? item[0] : item.value[0]))
      }))
    }));
    const script = document.createElement('script');
    script.type = 'application/json';
    script.id = 'plotted';
    script.textContent = JSON.stringify(plotted);
    document.body.appendChild(script);
  }

  draw(false);
  note();
  window.addEventListener('resize', () => draw(matchMedia('print').matches));
  window.addEventListener('beforeprint', () => draw(true));
  window.addEventListener('afterprint', () => draw(false));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(false));
})();
