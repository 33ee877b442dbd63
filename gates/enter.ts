import type postgres from 'postgres';
import { readArguments, readCount, readEvent, type Command } from './command.ts';
import { printable } from './errors.ts';
import { connect, findTarget } from './target.ts';

/** Lets holders in, one commit each, as turnstiles do. */
export const enter: Command = marking({
  name: 'enter',
  explanation: 'Marks tickets that have not entered as entered.',
  done: 'entered',
  lacking: 'no more tickets are left to enter',
  entrou: true,
});

/** Takes entries back. */
export const revert: Command = marking({
  name: 'revert',
  explanation: 'Takes entries back: marks tickets that have entered as not entered.',
  done: 'taken back',
  lacking: 'no more tickets have entered',
  entrou: false,
});

interface Marking {
  readonly name: string;
  readonly explanation: string;
  readonly done: string;
  readonly lacking: string;
  /** What the tickets are marked as. */
  readonly entrou: boolean;
}

interface Request {
  readonly eventId: string;
  /** Undefined: any sector. */
  readonly setor: string | undefined;
  readonly count: number;
  readonly entrou: boolean;
}

function marking({ name, explanation, done, lacking, entrou }: Marking): Command {
  return {
    help: `Usage: npm run -s gates -- ${name} [--setor CODE] [--count N] [--batch] [--event ID]

${explanation}

  --setor CODE  of this sector only (default: any)
  --count N     this many (default: 1)
  --batch       all in one commit (default: one commit each)
  --event ID    of this event (default: EVENT_ID)

Exit code 1 when there are fewer than asked for.
`,
    async run(args, env) {
      const { values } = readArguments(args, {
        setor: { type: 'string' },
        count: { type: 'string', default: '1' },
        batch: { type: 'boolean', default: false },
        event: { type: 'string' },
      });
      const count = readCount('--count', values.count);
      const request = { eventId: readEvent(values.event, env), setor: values.setor, count, entrou };
      const sql = connect(await findTarget(env));
      try {
        const marked = values.batch ? await markTogether(sql, request) : await markOneByOne(sql, request);
        const where = values.setor === undefined ? '' : ` of sector ${printable(values.setor)}`;
        process.stdout.write(`${marked} ${marked === 1 ? 'ticket' : 'tickets'}${where} ${done}\n`);
        if (marked === count) return 0;
        process.stderr.write(`${count} were asked for: ${lacking}.\n`);
        return 1;
      } finally {
        await sql.end({ timeout: 5 });
      }
    },
  };
}

/** Tickets that another gate holds at this moment are left to it. */
async function markTogether(sql: postgres.Sql, { entrou, ...request }: Request): Promise<number> {
  const { count } = await sql`
    update public.tickets t set entrou = ${entrou}
    from (
      select id from public.tickets
      where event_id = ${request.eventId} and entrou = ${!entrou} and (${request.setor ?? null}::text is null or setor = ${request.setor ?? null})
      limit ${request.count} for update skip locked
    ) chosen
    where t.event_id = ${request.eventId} and t.id = chosen.id`;
  return count;
}

async function markOneByOne(sql: postgres.Sql, request: Request): Promise<number> {
  const { eventId, setor = null, count, entrou } = request;
  let marked = 0;
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from public.tickets
      where event_id = ${eventId} and entrou = ${!entrou} and (${setor}::text is null or setor = ${setor})
      limit ${count - marked} for update skip locked`;
    if (candidates.length === 0) return marked;
    for (const { id } of candidates) {
      // Another gate may have been faster since, or be at it: then the next round finds other tickets.
      const result = await sql`
        update public.tickets set entrou = ${entrou} where event_id = ${eventId} and id = (
          select id from public.tickets
          where event_id = ${eventId} and id = ${id} and entrou = ${!entrou}
            and (${setor}::text is null or setor = ${setor})
          for update skip locked
        )`;
      marked += result.count;
    }
  }
}
