import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Desk } from '../../desk/flow/desk.ts';
import { EdgeLimits } from '../relay/edge-limits.ts';
import type { NatsLink } from '../relay/nats-link.ts';
import type { Subjects } from '../relay/subjects.ts';
import { answerDesk } from './answer-desk.ts';

export interface DeskAnswersOptions {
  /** The node name of this counter. */
  readonly counter: string;
  /** The desks of the events whose flow it watches, by event ID. */
  readonly desks: ReadonlyMap<string, Desk>;
  /** When the counts were last verified, by `performance.now()`. */
  readonly verifiedAtMs: () => number;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  readonly log: Logger;
}

/** The limit of each edge; edges pace themselves below it (question-pace.ts). The dearest question takes 3 ms. */
const RATE = { perSecond: 60, burst: 400 };

/** Answers the questions of edges about flows, under each edge's inbox and with this counter's name. */
export function answerDesks({ counter, desks, verifiedAtMs, subjects, link, log }: DeskAnswersOptions): void {
  const limits = new EdgeLimits(RATE);
  const onAsk = async (subject: string, question: Uint8Array, reply: string | undefined): Promise<void> => {
    const asked = subjects.parseDeskAsk(subject);
    const desk = asked && desks.get(asked.eventId);
    if (!asked || !desk || (asked.counter !== undefined && asked.counter !== counter)) return;
    // An edge that names another subject for the answer could make a counter publish anywhere.
    if (!reply?.startsWith(subjects.inbox(asked.edge))) return;
    if (!limits.take(asked.edge, performance.now())) return;
    try {
      link.publish(`${reply}.${counter}`, await answerDesk(desk, question, verifiedAtMs));
    } catch (error) {
      log.error({ err: error, edge: asked.edge, eventId: asked.eventId }, "a desk's question failed");
    }
  };
  link.subscribe({
    subject: subjects.deskAsks,
    onMessage: (subject, bytes, reply) => void onAsk(subject, bytes, reply),
  });
}
