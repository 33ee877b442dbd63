import type { MetricType } from 'web-vitals';

/** Passes each of the page's web vitals to `reporter`. Without a reporter it measures, loads and sends nothing. */
export async function reportWebVitals(reporter?: (metric: MetricType) => void): Promise<void> {
  if (!reporter) return;
  const { onCLS, onFCP, onINP, onLCP, onTTFB } = await import('web-vitals');
  for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) on(reporter);
}
