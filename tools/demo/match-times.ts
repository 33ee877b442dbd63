import { GATES_OPEN_MINUTE } from '../../gates/simulator/arrival-curve.ts';
import { insertDetails, readDetails, updateDetails } from '../../gates/events/event-details.ts';
import { withConnection } from '../../database/with-connection.ts';

interface MatchTimes {
  readonly eventId: string;
  /** The title of an event that has none yet. */
  readonly title: string;
  /** Unix milliseconds of the flow clock. */
  readonly gatesOpenMs: number;
}

/** Stores when the gates opened and when the match begins. */
export async function setMatchTimes(gatesUrl: string, match: MatchTimes): Promise<void> {
  const { eventId, title, gatesOpenMs } = match;
  const times = {
    gatesOpenAt: new Date(gatesOpenMs),
    kickOffAt: new Date(gatesOpenMs - GATES_OPEN_MINUTE * 60_000),
  };
  await withConnection(gatesUrl, async (sql) => {
    const [there] = await readDetails(sql, eventId);
    if (there) await updateDetails(sql, { ...there, ...times });
    else await insertDetails(sql, { eventId, title, timeZone: null, ...times });
  });
}
