import type { LogKind, TakeBackReason } from '../../model/log/flow-log.ts';

/** How it is said of an entry that it shall hold no more: the same on the button, and in the dialog that it opens. */
export interface TakeBackWords {
  /** Of buttons. */
  readonly verb: string;
  readonly question: string;
  /** Once it is recorded. */
  readonly done: string;
  /** Where somebody else was first. */
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

/** Of a mark: what it says is over, or was never so. */
const BY_REASON: Readonly<Record<TakeBackReason, TakeBackWords>> = {
  ended: { verb: 'acabou', question: 'Acabou?', done: 'fim da marca registrado', already: 'Já acabou' },
  mistake: {
    verb: 'foi engano',
    question: 'Foi engano?',
    done: 'marca anulada',
    already: 'Já foi anulada',
  },
};

/** `kind` undefined: of an entry that is not known yet. `why`: of a mark. */
export function takeBackWords(kind: LogKind | undefined, why?: TakeBackReason): TakeBackWords {
  return (why && BY_REASON[why]) ?? (kind && BY_KIND[kind]) ?? OF_ANY;
}
