/** What is said of a time that is none. */
export function noTimeWords(text: string): string {
  const typed = text.trim();
  return typed === '' ? 'escreva um horário, como 18:29' : `${typed} não é um horário: escreva como 18:29`;
}

/** What was typed, as HH:MM: "18:29", "1829", "18h29", "9.05"; anything else as it is. */
export function readTime(text: string): string {
  const [, hours = '', minutes = ''] = /^\s*(\d{1,2})[:h.]?(\d{2})\s*$/i.exec(text) ?? [];
  return hours === '' ? text : `${hours.padStart(2, '0')}:${minutes}`;
}
