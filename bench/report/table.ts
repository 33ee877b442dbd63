import { median } from '../../testing/statistics.ts';
import { type Figure, isMet, type Result, type Target } from './figure.ts';

const HEADINGS = ['what', 'median', 'min – max', 'target', ''];

/** The figures of one benchmark. */
export function tableOf(figures: readonly Figure[]): string {
  return draw([HEADINGS, ...figures.map(rowOf)]);
}

/** Of several benchmarks, all that has something to reach. */
export function overviewOf(results: readonly Pick<Result, 'name' | 'figures'>[]): string {
  const rows = results.flatMap(({ name, figures }) =>
    figures.filter(({ target }) => target).map((figure) => [`\`${name}\``].concat(rowOf(figure))),
  );
  return draw([['name', ...HEADINGS], ...rows]);
}

/** Reads well as text and as Markdown. The first row is the heading. */
function draw(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [heading, ...body] = rows.map(lineOf);
  return [heading, rule, ...body].join('\n');
}

function rowOf(figure: Figure): string[] {
  const { what, unit, values, target } = figure;
  const range = `${formatNumber(Math.min(...values))} – ${formatNumber(Math.max(...values))}`;
  const row = [what, `${formatNumber(median(values))} ${unit}`, values.length > 1 ? range : 'one value'];
  if (!target) return [...row, '', ''];
  return [...row, `${limitOf(target)} ${unit}`, isMet(figure) ? 'met' : 'NOT met'];
}

function limitOf(target: Target): string {
  if ('from' in target) return `${formatNumber(target.from)} – ${formatNumber(target.to)}`;
  return 'atMost' in target ? `≤ ${formatNumber(target.atMost)}` : `≥ ${formatNumber(target.atLeast)}`;
}

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** Four digits, and whole numbers in full: 0.9871, 16.7, 143,912. */
export function formatNumber(value: number): string {
  return (Math.abs(value) >= 1_000 ? WHOLE : SMALL).format(value);
}
