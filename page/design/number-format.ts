const WHOLE = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 0 });

/** 31482 → "31.482". */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** Formats an age ≥ 0 in the largest unit that fits, rounded down: "42 s", "3 min", "2 h". */
export function formatAge(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${formatCount(Math.floor(seconds / 3600))} h`;
}
