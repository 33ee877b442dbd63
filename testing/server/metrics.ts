/** Returns what `/metrics` of a process has now: a metric's name, with its labels as they stand there, → its value. */
export async function readMetrics(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(url)).text();
  const metrics = text.matchAll(/^([^#].*) (\S+)$/gm);
  return Object.fromEntries([...metrics].map(([, name = '', value]) => [name, Number(value)]));
}
