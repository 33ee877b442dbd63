/**
 * Asks how many tickets of the event are valid, entered or not. The specification has it asked once per page load and
 * shown nowhere: the answer is not looked at, and a failure is nobody's.
 */
export function requestValidTicketCount(eventId: string, fetch: typeof globalThis.fetch): void {
  const path = `/api/events/${encodeURIComponent(eventId)}/tickets/count?isValidTicket=true`;
  fetch(path, { cache: 'no-store' }).catch(() => {});
}
