import { MARK_WORDS, RULE_WORDS } from './rule-words.ts';
import { CommandButton } from './command-button.tsx';
import type { DeskView } from '../desk-view.ts';
import { suspensionWords } from './alarm-story.ts';
import { formatTime } from '../event-time.ts';
import { useOpenDialog } from './open-dialog.ts';
import { sectorName } from './sector-name.ts';
import { standingEntry } from './standing-entries.ts';
import { takeBackWords } from './take-back-words.ts';

interface Item {
  readonly key: string;
  readonly words: string;
  readonly isStrong: boolean;
  /** Of the entry that can be taken back; `undefined`: the log has not told yet. */
  readonly entryId: string | undefined;
  readonly undo: string;
}

/** What operators have set and what holds until somebody takes it back: nobody may forget it. */
export function InForce({ view }: { readonly view: DeskView }) {
  const [, setDialog] = useOpenDialog();
  const items = itemsOf(view);
  if (items.length === 0) return null;
  return (
    <section className="in-force" aria-labelledby="in-force-heading">
      <h2 id="in-force-heading">em vigor</h2>
      <ul>
        {items.map(({ key, words, isStrong, entryId, undo }) => (
          <li key={key}>
            {isStrong ? <b>{words}</b> : <span>{words}</span>}
            {view.replay === null && entryId !== undefined && (
              <CommandButton
                aria-label={`${undo}: ${words}`}
                onClick={() => setDialog({ kind: 'take-back', entryId })}
              >
                {undo}
              </CommandButton>
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
  const evacuation = standingEntry(log, 'evacuation');
  const closing = standingEntry(log, 'entry-closed');
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
            entryId: evacuation?.id,
            undo: takeBackWords('evacuation').verb,
          },
        ]),
    ...(entryClosedAtMs === null
      ? []
      : [
          {
            key: 'entry-closed',
            isStrong: false,
            words: `entrada encerrada desde ${time(entryClosedAtMs)}${who(closing?.by ?? null)}`,
            entryId: closing?.id,
            undo: takeBackWords('entry-closed').verb,
          },
        ]),
    ...marks.map(({ id, mark, sector, sinceMs, by }) => ({
      key: id,
      isStrong: false,
      words: `${MARK_WORDS[mark]} · ${sectorName(sectors, sector)}, desde ${time(sinceMs)}${who(by)}`,
      entryId: id,
      undo: takeBackWords('mark').verb,
    })),
    ...suspensions
      .filter((suspension) => !hasCard(suspension))
      .map((suspension) => ({
        key: suspension.id,
        isStrong: false,
        words: `${RULE_WORDS[suspension.rule]} · ${sectorName(sectors, suspension.sector)}: ${suspensionWords(suspension, time)}`,
        entryId: suspension.id,
        undo: takeBackWords('suspend').verb,
      })),
  ];
}
