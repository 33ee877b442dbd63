import { closeOnce } from '../close-once.ts';
import type { Posted } from './gates-listener.ts';
import { until } from '../until.ts';

/** Posts the entry of one ticket after the other, each once, whatever the answer. */
export interface EntryLoad {
  /** Answers by ticket ID. */
  readonly answers: ReadonlyMap<string, Posted>;
  /** The number of the next ticket. */
  readonly next: number;
  /** Resolves once an entry that is sent from now on gets this status. */
  untilAnswered(status: number): Promise<void>;
  /** Resolves once all entries are answered. */
  stop(): Promise<void>;
}

export interface EntryLoadOptions {
  readonly post: (body: unknown) => Promise<Posted>;
  readonly perSecond: number;
  /** The number of the first ticket; ids are t0, t1, … */
  readonly first?: number;
}

export function startEntryLoad({ post, perSecond, first = 0 }: EntryLoadOptions): EntryLoad {
  const answers = new Map<string, Posted>();
  const underWay = new Set<Promise<void>>();
  let number = first;
  const enter = async (id: string): Promise<void> => {
    answers.set(id, await post({ id, entrou: true }));
  };
  const timer = setInterval(() => {
    const entering = enter(`t${number}`);
    number += 1;
    underWay.add(entering);
    void entering.catch(() => {}).then(() => underWay.delete(entering));
  }, 1_000 / perSecond);
  return {
    answers,
    get next() {
      return number;
    },
    untilAnswered(status) {
      const since = number;
      return until(() => {
        for (let sent = since; sent < number; sent += 1) {
          if (answers.get(`t${sent}`)?.status === status) return;
        }
        throw new Error(`none of ${number - since} was answered with ${status}`);
      });
    },
    stop: closeOnce(async () => {
      clearInterval(timer);
      await Promise.allSettled(underWay);
    }),
  };
}
