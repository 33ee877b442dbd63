import { formatAge } from '../../../page/design/number-format.ts';
import type { Status } from '../../../page/trust/status.ts';
import type { Failure } from '../data/watch-failures.ts';
import { FOREIGN_ADDRESS } from '../session/sign-in-words.ts';

/** A shorter outage needs no explanation. */
const LASTS_MS = 15_000;

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'O servidor responde, mas a sessão não vale mais: entre outra vez.',
  403: FOREIGN_ADDRESS,
  404: 'Este servidor não tem esta mesa (DESK_KEY, ou outro jogo): chame quem o administra.',
  429: 'Tentativas demais deste aparelho: o servidor pede para esperar. Continua sozinha.',
  503: 'O servidor responde, mas agora sem o registro, sem a contagem, ou com mesas demais: chame quem o administra. Continua sozinha.',
};

const NO_ANSWER =
  'O servidor não responde: verifique a rede deste aparelho. Se outra mesa está ao vivo, é daqui; se nenhuma está, chame quem administra o servidor.';
const NO_SOURCE = 'O servidor responde, mas a contagem não anda: chame quem cuida do banco de dados.';
const OFFLINE = 'Este aparelho está sem rede: verifique o Wi-Fi ou o cabo.';

/** "sem conexão há 45 s"; null while the page is live, or has not been yet. */
export function lostWords(status: Status): string | null {
  if (!('ageMs' in status)) return null;
  const cause = status.kind === 'no-connection' ? 'sem conexão' : 'contagem desatualizada';
  return `${cause} há ${formatAge(status.ageMs)}`;
}

/** Explains why the figures are old, and what to do; null for live figures, and for a short outage. */
export function whyLost(status: Status, failure: Failure | undefined, isOnLine: boolean): string | null {
  if (status.kind === 'live') return null;
  const lastsMs = 'ageMs' in status ? status.ageMs : (failure?.lastsMs ?? 0);
  if (lastsMs < LASTS_MS) return null;
  if (status.kind === 'no-source') return NO_SOURCE;
  if (!isOnLine) return OFFLINE;
  const answer = failure?.status ?? null;
  if (answer === null) return NO_ANSWER;
  return (
    BY_STATUS[answer] ??
    `O servidor responde com um erro (${answer}): chame quem o administra. Continua sozinha.`
  );
}
