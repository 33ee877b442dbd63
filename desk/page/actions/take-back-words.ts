import type { LogKind, TakeBackReason } from '../../model/log/flow-log.ts';

export interface TakeBackWords {
  /** The label of buttons. */
  readonly verb: string;
  readonly question: string;
  readonly done: string;
  /** States that another operator was first. */
  readonly already: string;
}

const OF_ANY: TakeBackWords = {
  verb: 'desfazer',
  question: 'Desfazer?',
  done: 'desfeito',
  already: 'Já foi desfeito',
};

const BY_KIND: { readonly [K in LogKind]?: TakeBackWords } = {
  evacuation: {
    verb: 'retirar',
    question: 'Retirar?',
    done: 'evacuação retirada',
    already: 'Já foi retirada',
  },
  'entry-closed': {
    verb: 'reabrir',
    question: 'Reabrir?',
    done: 'entrada reaberta',
    already: 'Já foi reaberta',
  },
  suspend: { verb: 'retomar', question: 'Retomar?', done: 'alarme retomado', already: 'Já foi retomado' },
};

/** A mark is over, or was never right. */
const BY_REASON: Readonly<Record<TakeBackReason, TakeBackWords>> = {
  ended: { verb: 'acabou', question: 'Acabou?', done: 'fim da marca registrado', already: 'Já acabou' },
  mistake: {
    verb: 'foi engano',
    question: 'Foi engano?',
    done: 'marca anulada',
    already: 'Já foi anulada',
  },
};

/** `kind` is undefined until the entry has arrived; `why` is defined for marks only. */
export function takeBackWords(kind: LogKind | undefined, why?: TakeBackReason): TakeBackWords {
  return (why && BY_REASON[why]) ?? (kind && BY_KIND[kind]) ?? OF_ANY;
}

/**
 * What became of an entry whose question is open: how it was taken back `before`, by whatever way, and whether the question
 * is over. A mark that has ended may still be taken back as a mistake.
 */
export function settledWords(
  kind: LogKind | undefined,
  why: TakeBackReason | undefined,
  before: TakeBackReason,
): { readonly already: string; readonly isOver: boolean } {
  const { already } = takeBackWords(kind, why && before);
  return { already, isOver: why !== 'mistake' || before === 'mistake' };
}
