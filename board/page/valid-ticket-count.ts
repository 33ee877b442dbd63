/**
 * Requests how many tickets of the event are valid. The specification requires this request once per page load and displays
 * it nowhere: both the answer and a failure are ignored.
 */
export function requestValidTicketCount(eventId: string, fetch: typeof globalThis.fetch): void {
  const path = `/api/events/${encodeURIComponent(eventId)}/tickets/count?isValidTicket=true`;
  fetch(path, { cache: 'no-store' }).catch(() => {});
}
