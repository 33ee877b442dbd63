/**
 * How many tickets of the event are valid, entered or not. The specification has it asked once per page load
 * and shown nowhere. Rejects when the answer is not `{ "count": <whole number> }`.
 */
export async function readValidTicketCount(eventId: string, fetch: typeof globalThis.fetch): Promise<number> {
  const response = await fetch(`/api/events/${eventId}/tickets/count?isValidTicket=true`, {
    cache: 'no-store',
  });
  if (!response.ok) throw new Error(`the valid-ticket count was answered with ${response.status}`);
  const answer: unknown = await response.json();
  const count = typeof answer === 'object' && answer !== null && 'count' in answer ? answer.count : undefined;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new Error('the valid-ticket count is not a whole number');
  }
  return count;
}
