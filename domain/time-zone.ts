/** An IANA name, as America/Fortaleza. No offset: whether a runtime takes "-03:00" as well depends on its version. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
