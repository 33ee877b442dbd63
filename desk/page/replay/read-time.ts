export function noTimeWords(text: string): string {
  const typed = text.trim();
  return typed === '' ? 'escreva um horário, como 18:29' : `${typed} não é um horário: escreva como 18:29`;
}

/** Reads "18:29", "1829", "18h29" or "9.05" as HH:MM, and returns any other text as it is. */
export function readTime(text: string): string {
  const [, hours = '', minutes = ''] = /^\s*(\d{1,2})[:h.]?(\d{2})\s*$/i.exec(text) ?? [];
  return hours === '' ? text : `${hours.padStart(2, '0')}:${minutes}`;
}
