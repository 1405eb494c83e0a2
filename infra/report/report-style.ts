/**
 * The page needs no other file, and runs no script. Texts have a contrast of at least 4.5 to 1 and marks one of 3 to 1
 * against what is behind them, in both schemes (WCAG 2.2, 1.4.3 and 1.4.11).
 */
export const REPORT_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b2430; --soft: #55606e; --edge: #d5dae1;
  --line: #1d5fbf; --answered: #1d5fbf; --throttled: #b35c00; --failed: #b3261e; --wait: #f3dfc4;
  --good: #17663a; --doubt: #8a4b00; --bad: #a3211a; --link: #1d5fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b212a; --text: #e8ecf1; --soft: #a9b4c2; --edge: #38424f;
    --line: #7db0ff; --answered: #7db0ff; --throttled: #ffb25c; --failed: #ff8a80; --wait: #4a3a22;
    --good: #7fd6a2; --doubt: #ffc27a; --bad: #ff9d94; --link: #9cc3ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
.soft, dt, th { color: var(--soft); }
section, header { background: var(--card); border: 1px solid var(--edge); border-radius: .6rem; padding: 1rem 1.1rem; margin: 0 0 1rem; }
header p { margin: .25rem 0 0; overflow-wrap: anywhere; }
.verdict { font-weight: 600; }
.good { color: var(--good); } .doubt { color: var(--doubt); } .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem 1rem; margin: 1rem 0 0; }
dt { font-size: .85rem; }
dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
ul { margin: 0 0 .75rem; padding-left: 1.2rem; }
.scroll { overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--edge); vertical-align: top; white-space: nowrap; }
th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.long { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
code { font: .85em ui-monospace, monospace; }
summary { cursor: pointer; padding: .2rem 0; }
details > .scroll { margin-top: .6rem; }
figure { margin: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .85rem; color: var(--soft); }
.chart { width: 100%; height: auto; display: block; }
.narrow { display: none; }
@media (max-width: 34rem) { .wide { display: none; } .narrow { display: block; } }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--edge); } .axis, .mark { stroke: var(--soft); }
path.line { fill: none; stroke: var(--line); stroke-width: 2; }
path.answers { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 2 3; }
rect.wait { fill: var(--wait); stroke: var(--throttled); }
path.throttle { fill: var(--throttled); }
rect.answered { fill: var(--answered); } rect.throttled { fill: var(--throttled); } rect.failed { fill: var(--failed); }
line.limit { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 6 4; }
.key { display: inline-flex; align-items: center; gap: .4rem; }
.key i { display: inline-block; width: .9rem; height: .9rem; }
i.line { height: 2px; background: var(--line); }
i.answers { height: 0; border-top: 2px dotted var(--soft); }
i.wait { background: var(--wait); border: 1px solid var(--throttled); }
i.throttle { background: var(--throttled); clip-path: polygon(50% 0, 100% 100%, 0 100%); }
i.answered { background: var(--answered); } i.throttled { background: var(--throttled); } i.failed { background: var(--failed); }
i.limit { height: 0; border-top: 2px dashed var(--text); }
@media print { body { background: none; } section, header { break-inside: avoid; } }
`;
