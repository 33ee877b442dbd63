/** One metric, as Prometheus reads it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** One number; or one for each value of a label. */
  readonly value: number | { readonly label: string; readonly values: Readonly<Record<string, number>> };
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Prometheus' text format (prometheus.io, "Exposition formats"). Names, labels and help are ours: plain words. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, value }) => {
      const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
      if (typeof value === 'number') return `${head}${name} ${value}\n`;
      const { label, values } = value;
      const lines = Object.entries(values).map(([key, number]) => `${name}{${label}="${key}"} ${number}\n`);
      return head + lines.join('');
    })
    .join('');
}
