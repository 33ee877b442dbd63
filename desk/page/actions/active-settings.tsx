import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import { makesIncomplete, type SectorMark } from '../../model/log/marks.ts';
import { MARK_WORDS } from '../alarms/rule-words.ts';
import { CommandButton } from './command-button.tsx';
import type { DeskView } from '../desk-view.ts';
import { suspensionWords } from '../alarms/alarm-story.ts';
import { formatTime } from '../event-time.ts';
import { spanWords, statedEstimate } from '../span-words.ts';
import { type OpenDialog, useOpenDialog } from './open-dialog.ts';
import { sectorName } from './sector-name.ts';
import { activeEntry } from './active-entry.ts';
import { takeBackWords } from './take-back-words.ts';

interface Item {
  readonly key: string;
  readonly words: string;
  readonly isStrong: boolean;
  readonly acts: readonly Act[];
}

interface Act {
  readonly verb: string;
  readonly dialog: OpenDialog;
}

/** Lists what operators have set, until somebody takes it back. */
export function ActiveSettings({ view }: { readonly view: DeskView }) {
  const [, setDialog] = useOpenDialog();
  const items = itemsOf(view);
  if (items.length === 0) return null;
  return (
    <section className="in-force" aria-labelledby="in-force-heading">
      <h2 id="in-force-heading">em vigor</h2>
      <ul>
        {items.map(({ key, words, isStrong, acts }) => (
          <li key={key}>
            {isStrong ? <b>{words}</b> : <span>{words}</span>}
            {view.replay === null && acts.length > 0 && (
              <span className="in-force-acts">
                {acts.map(({ verb, dialog }) => (
                  <CommandButton
                    key={verb}
                    aria-label={`${verb}: ${words}`}
                    onClick={() => setDialog(dialog)}
                  >
                    {verb}
                  </CommandButton>
                ))}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function itemsOf({ state, sectors, log }: DeskView): readonly Item[] {
  const time = (atMs: number) => formatTime(atMs, state.timeZone);
  const who = (by: string | null) => (by === null ? '' : ` (${by})`);
  const { evacuatedAtMs, entryClosedAtMs, marks, suspensions, alarms } = state;
  const evacuation = activeEntry(log, 'evacuation');
  const closing = activeEntry(log, 'entry-closed');
  const hasCard = ({ rule, sector }: (typeof suspensions)[number]) =>
    alarms.some((alarm) => alarm.rule === rule && alarm.sector === sector);
  return [
    ...(evacuatedAtMs === null
      ? []
      : [
          {
            key: 'evacuation',
            isStrong: true,
            words: `EVACUAÇÃO desde ${time(evacuatedAtMs)}${who(evacuation?.by ?? null)}`,
            acts: takingBack('evacuation', evacuation?.id),
          },
        ]),
    ...(entryClosedAtMs === null
      ? []
      : [
          {
            key: 'entry-closed',
            isStrong: false,
            words: `entrada encerrada desde ${time(entryClosedAtMs)}${who(closing?.by ?? null)}`,
            acts: takingBack('entry-closed', closing?.id),
          },
        ]),
    ...marks.map((mark) => ({
      key: mark.id,
      isStrong: false,
      words: markWords(mark, sectorName(sectors, mark.sector), time),
      acts: actsOnMark(mark),
    })),
    ...suspensions
      .filter((suspension) => !hasCard(suspension))
      .map((suspension) => ({
        key: suspension.id,
        isStrong: false,
        words: `${RULE_WORDS[suspension.rule]} · ${sectorName(sectors, suspension.sector)}: ${suspensionWords(suspension, time)}`,
        acts: takingBack('suspend', suspension.id),
      })),
  ];
}

/** `entryId` is undefined until the log has arrived. */
function takingBack(
  kind: 'evacuation' | 'entry-closed' | 'suspend',
  entryId: string | undefined,
): readonly Act[] {
  if (entryId === undefined) return [];
  return [{ verb: takeBackWords(kind).verb, dialog: { kind: 'take-back', entryId, why: undefined } }];
}

function actsOnMark({ id, mark, endedAtMs }: SectorMark): readonly Act[] {
  const ways = endedAtMs === undefined ? (['ended', 'mistake'] as const) : (['mistake'] as const);
  return [
    ...ways.map((why) => ({
      verb: takeBackWords('mark', why).verb,
      dialog: { kind: 'take-back', entryId: id, why } as const,
    })),
    ...(makesIncomplete(mark)
      ? [{ verb: 'estimativa', dialog: { kind: 'estimate', markId: id } as const }]
      : []),
  ];
}

/** "entrada liberada sem leitura · SUL DORIL, desde 18:33 até 18:40 (Ana); ~150 sem leitura (Bia: “contagem manual”)". */
function markWords(
  { mark, sinceMs, endedAtMs = Infinity, by, estimate }: SectorMark,
  name: string,
  timeOf: (atMs: number) => string,
): string {
  const span = spanWords([{ fromMs: sinceMs, toMs: endedAtMs }], timeOf);
  const words = `${MARK_WORDS[mark]} · ${name}, ${span}${by === null ? '' : ` (${by})`}`;
  return estimate ? `${words}; ${statedEstimate(estimate)}` : words;
}
