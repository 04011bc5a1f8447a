/** The look of the report: one accent colour, both themes, paper. Every colour of text keeps a contrast of 4.5 or more. */
export const styles = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --line: #dfe3e8; --text: #1b2026; --soft: #57606a;
  --accent: #2f5bd7; --good: #1a7f37; --warn: #8a5200; --bad: #b3261e; --warn-panel: #fff8e8; --warn-line: #ecd9ab;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12151a; --panel: #1b2027; --line: #303741; --text: #e5e9ee; --soft: #a0aab5;
    --accent: #86a8ff; --good: #6fcf8b; --warn: #f0b860; --bad: #ff9389; --warn-panel: #262013; --warn-line: #4d4024;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 3rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 0.9375rem/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
}
header, main, footer { max-width: 80rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2.5rem; }
footer { padding-bottom: 3rem; color: var(--soft); font-size: 0.875rem; border-top: 1px solid var(--line); margin-top: 3rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 0.5rem; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 3rem 0 1rem; letter-spacing: -0.01em; }
h3 { font-size: 0.9375rem; margin: 1.5rem 0 0.5rem; }
p { margin: 0 0 0.5rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code, pre { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { margin: 0; padding: 0.5rem 0.75rem; white-space: pre-wrap; background: var(--panel); border-radius: 6px; }
.soft { color: var(--soft); }
.number { text-align: right; white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.eyebrow { color: var(--soft); font-size: 0.875rem; }
.notice { margin: 1.25rem 0 0; padding: 0.625rem 0.875rem; background: var(--warn-panel); border: 1px solid var(--warn-line); border-radius: 8px; }

.totals { display: grid; grid-template-columns: repeat(4, 1fr); margin: 1.5rem 0 0; border: 1px solid var(--line); border-radius: 10px; }
.totals div { padding: 0.875rem 1.125rem; }
.totals div + div { border-left: 1px solid var(--line); }
.totals dt { color: var(--soft); font-size: 0.875rem; }
.totals dd { margin: 0; }
.totals .figure { font-size: 1.625rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.02em; }
.totals .more { color: var(--soft); font-size: 0.8125rem; }

.asks, .plain { list-style: none; margin: 0; padding: 0; }
.asks li { padding: 0.625rem 0; border-top: 1px solid var(--line); display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr) max-content; gap: 0.25rem 2rem; }
.asks li:last-child { border-bottom: 1px solid var(--line); }
.links { columns: 18rem auto; column-gap: 2.5rem; }
.links li { padding: 0.125rem 0; break-inside: avoid; }
.command { display: inline-block; padding: 0.125rem 0.5rem; background: var(--panel); border-radius: 6px; }
.asks li p { margin: 0; }
.words { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 0; }
.words dt { display: inline; color: var(--soft); margin-right: 0.375rem; }
.words dd { display: inline; margin: 0; }
.pairs { display: grid; grid-template-columns: fit-content(9rem) minmax(0, 1fr); gap: 0.25rem 1rem; margin: 0; }
.pairs dt { color: var(--soft); }
.pairs dd { margin: 0; white-space: pre-line; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 2rem 2.5rem; }
figure { margin: 0; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 0.625rem; }
figure svg { display: block; width: 100%; height: auto; max-width: 26rem; font-family: inherit; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem 3.5rem; align-items: start; }

table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem 0.5rem 0; font-weight: inherit; }
thead th { color: var(--soft); font-size: 0.8125rem; white-space: nowrap; }
th.number, td.number { text-align: right; padding-right: 1rem; }
tr > :last-child { padding-right: 0; }
.lines tbody tr { border-top: 1px solid var(--line); }
.tickets thead th { position: sticky; top: 0; z-index: 1; background: var(--page); box-shadow: inset 0 -1px 0 var(--line); }
.tickets tbody { position: relative; border-bottom: 1px solid var(--line); }
.tickets tbody:target { background: var(--panel); }
.tickets { table-layout: fixed; }
.tickets .subject { color: var(--soft); }
.tickets .brief, .brief .status { display: none; }
.tickets .state { width: 11rem; }
.tickets .steps-taken { width: 3.75rem; }
.tickets .time { width: 5rem; }
.tickets .cost { width: 6.75rem; }
.tickets .trace { width: 5rem; }
.tickets .inside td { padding: 0; }
.tickets details { contain: inline-size; }
.tickets summary { position: absolute; top: 0.375rem; right: 0; padding: 0.125rem 0.5rem; border-radius: 6px; color: var(--accent); cursor: pointer; white-space: nowrap; }
.tickets summary:hover { background: var(--panel); }
.detail { padding: 0.25rem 0 1.5rem; }
.detail h3 { margin: 1rem 0 0.5rem; }
.detail h3:first-child { margin-top: 0.5rem; }
.detail .sides { gap: 0 2rem; }

.status { overflow-wrap: normal; }
.status::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; border-radius: 50%; margin-right: 0.5rem; background: var(--soft); }
.status.succeeded::before { background: var(--good); }
.status.waiting::before, .status.review::before { background: var(--warn); }
.status.stopped::before, .status.failed::before, .status.cancelled::before { background: var(--bad); }
.status .reason { color: var(--soft); }

.steps { list-style: none; margin: 0; padding: 0; }
.steps > li { padding: 0.625rem 0 0.75rem 1rem; border-left: 2px solid var(--line); }
.facts { display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: baseline; margin: 0 0 0.375rem; }
.facts b { font-weight: 600; }
.call { margin: 0.5rem 0 0; }
.none { padding: 0.375rem 0.75rem; }
.call dt { padding-top: 0.5rem; font-size: 0.8125rem; }
.error { color: var(--bad); }

@media (max-width: 75rem) {
  .tickets { table-layout: auto; }
  .tickets tbody th { width: 100%; }
  .state .status { white-space: nowrap; }
  .tickets .trace { padding-left: 4.25rem; }
  .tickets .field { display: none; }
  .tickets .brief { display: block; }
}
@media (max-width: 60rem) {
  .asks li { grid-template-columns: minmax(0, 1fr); }
}
@media screen and (max-width: 45rem) {
  header { padding-top: 1.5rem; }
  h1 { font-size: 1.375rem; }
  h2 { margin-top: 2.25rem; }
  .totals { grid-template-columns: repeat(2, 1fr); }
  .totals div:nth-child(odd) { border-left: 0; }
  .totals div:nth-child(n + 3) { border-top: 1px solid var(--line); }
  .tickets :is(.state, .steps-taken, .time) { display: none; }
  .brief .status { display: block; }
  .tickets .subject { display: block; }
  .tickets thead th { position: static; }
  .detail .pairs, .detail .sides { column-gap: 0.75rem; }
}
@media print {
  :root { color-scheme: light; --text: #000; --soft: #444; }
  body { font-size: 9.5pt; }
  header, main, footer { max-width: none; padding-inline: 0; }
  h2 { margin-top: 2rem; }
  h2, h3, caption, thead { break-after: avoid; }
  tr, .asks li, .steps > li { break-inside: avoid; }
  .tickets thead th { position: static; }
  .tickets details:not([open]), .tickets .trace { display: none; }
  .tickets .cost { padding-right: 0; }
  .tickets details[open] summary { position: static; }
  a { color: inherit; text-decoration: none; }
}
`;
