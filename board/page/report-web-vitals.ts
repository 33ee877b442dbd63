import type { MetricType } from 'web-vitals';

/** Gives each of the page's web vitals to `reporter`. Without one it measures, loads and sends nothing. */
export async function reportWebVitals(reporter?: (metric: MetricType) => void): Promise<void> {
  if (!reporter) return;
  const { onCLS, onFCP, onINP, onLCP, onTTFB } = await import('web-vitals');
  for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) on(reporter);
}
