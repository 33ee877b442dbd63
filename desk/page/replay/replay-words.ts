import type { DeskState } from '../../model/desk-state.ts';
import { formatAge } from '../../../page/design/number-format.ts';
import type { Status } from '../../../page/trust/status.ts';
import { alarmTitle, shownRule } from '../alarms/alarm-sentence.ts';
import { callingAlarms } from '../alarms/announcement.ts';
import { RULE_SIGNS } from '../alarms/rule-words.ts';
import type { DeskView } from '../desk-view.ts';
import { evacuationWords } from '../evacuation-words.ts';
import { formatTime } from '../event-time.ts';
import type { ReplayProblem } from './read-recorded.ts';
import type { RecordedSpan } from './recorded-span.ts';
import { minuteShown, type Replay } from './replay.ts';

/** "REGISTRO 18:29". */
export function replayName(state: DeskState): string {
  return `REGISTRO ${formatTime(minuteShown(state), state.timeZone)}`;
}

/** "a mesa como estava às 18:30:00, no fim deste minuto". */
export function replayFacts({ nowMs, timeZone }: DeskState): string {
  return `a mesa como estava às ${formatTime(nowMs, timeZone)}:00, no fim deste minuto`;
}

export function problemWords(
  problem: ReplayProblem,
  span: RecordedSpan | undefined,
  timeZone: string,
): string {
  const time = (minuteMs: number): string => formatTime(minuteMs, timeZone);
  switch (problem.kind) {
    case 'no-answer':
      return 'Sem resposta do servidor: tentando de novo. Se demorar, veja a rede deste aparelho, ou volte ao vivo.';
    case 'busy':
      return 'Muitos pedidos deste aparelho: o servidor pede para esperar. Continua sozinho.';
    case 'session-ended':
      return 'A sessão terminou: entre de novo, e este minuto abre.';
    case 'not-recorded': {
      const within = span ? `, entre ${time(span.firstMs)} e ${time(span.lastMs)}` : '';
      return `Nada registrado às ${time(problem.minuteMs)}: escolha outro minuto${within}.`;
    }
    default:
      return `O servidor não entregou este minuto (${problem.status}): escolha outro, ou recarregue a página.`;
  }
}

/** "abrindo 18:31…", "tocando ×10", "este é o último minuto registrado". */
export function progressWords(replay: Replay, span: RecordedSpan | undefined, timeZone: string): string {
  const { wantedMs, shown, speed } = replay;
  if (speed !== undefined) return `tocando ×${speed}`;
  if (!shown || minuteShown(shown) !== wantedMs) return `abrindo ${formatTime(wantedMs, timeZone)}…`;
  return span && wantedMs >= span.lastMs ? 'este é o último minuto registrado' : '';
}

/** Describes the present beside a recorded minute. `isCalling`: an active alarm calls. */
export function liveWords(
  view: DeskView,
  status: Status,
): {
  readonly words: string;
  readonly isCalling: boolean;
  readonly isEvacuated: boolean;
  readonly isStale: boolean;
} {
  const calling = callingAlarms(view);
  const [first, ...others] = calling.filter(({ returnedAtMs }) => returnedAtMs === null);
  const isStale = status.kind !== 'live';
  const doubt = isStale ? `${staleWords(status)} · ` : '';
  const { nowMs, timeZone } = view.state;
  const evacuation = evacuationWords(view);
  const isEvacuated = evacuation !== null;
  if (isEvacuated) {
    return { words: `EVACUAÇÃO AO VIVO: ${doubt}${evacuation}`, isCalling: false, isEvacuated, isStale };
  }
  if (!first) {
    const none = isStale ? 'alarmes sem como verificar' : 'nenhum alarme novo';
    const left = calling.length === 0 ? none : `${returnedWords(calling.length)} sem ciente`;
    const words = `ao vivo, ${formatTime(nowMs, timeZone)}: ${doubt}${left}`;
    return { words, isCalling: false, isEvacuated, isStale };
  }
  const more = others.length === 0 ? '' : ` e mais ${others.length}`;
  return {
    words: `ALARME AO VIVO: ${doubt}${RULE_SIGNS[shownRule(first, view)]} ${alarmTitle(first, view)}${more}`,
    isCalling: true,
    isEvacuated,
    isStale,
  };
}

function returnedWords(count: number): string {
  return count === 1 ? '1 alarme que já terminou' : `${count} alarmes que já terminaram`;
}

function staleWords(status: Status): string {
  if (!('ageMs' in status)) return 'conectando';
  const cause = status.kind === 'no-connection' ? 'sem conexão' : 'contagem desatualizada';
  return `${cause} há ${formatAge(status.ageMs)}`;
}

/** Whether any entry was simulated for practice. */
export function isSimulated({ log }: Pick<DeskView, 'log'>): boolean {
  return log.some(({ source }) => source === 'simulated');
}
