/**
 * How many tickets of the event are valid, entered or not. The specification has it asked once per page load
 * and shown nowhere. Rejects when the answer is not `{ "count": <whole number> }`.
 */
export async function readValidTicketCount(eventId: string, fetch: typeof globalThis.fetch): Promise<number> {
  const response = await fetch(`/api/events/${eventId}/tickets/count?isValidTicket=true`, {
    cache: 'no-store',
  });
  const { count } = (await response.json()) as { readonly count?: unknown };
  if (!Number.isSafeInteger(count) || (count as number) < 0) throw new Error('not a count');
  return count as number;
}
