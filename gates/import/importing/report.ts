import { quoteValue } from '../../cli/errors.ts';
import type { UnknownTickets } from './comparison.ts';
import { type Imported, REJECTS_HINT } from './import-file.ts';
import { describeOtherCase } from './other-case.ts';
import { describeOverfull } from './overfull.ts';
import type { ImportOptions } from './import-options.ts';
import { describeUnknownSectors } from './unknown-sectors.ts';
import { describeUnseenCharacters } from './unseen-characters.ts';

/** Whether the file has nothing but a header. */
export function hasNoTicket({
  inserted,
  same,
  corrected,
  different,
  repeated,
  badLines,
  unknown,
}: Imported): boolean {
  return inserted + same + corrected + different + repeated + badLines + unknown.count === 0;
}

/** Returns lines about what was done, or would be. */
export function describeImported(
  imported: Imported,
  { update, cancelMissing }: Pick<ImportOptions, 'update' | 'cancelMissing'>,
  { isDryRun, rejects }: { readonly isDryRun: boolean; readonly rejects?: string | undefined },
): string[] {
  const { inserted, same, different, cancelled, repeated, badLines, unknown } = imported;
  const would = isDryRun ? 'would be ' : '';
  return [
    ...(hasNoTicket(imported) ? ['The file has no ticket: is the export whole?'] : []),
    `${inserted} ${would}inserted`,
    `${same} already there, the same`,
    ...(update ? [describeCorrected(imported, would)] : []),
    `${different} already there, different${update ? ' in entrou alone' : ''}: not changed` +
      (different > 0 && !update ? ' (--update corrects all but entrou)' : ''),
    ...(cancelMissing ? [describeMissing(cancelled, badLines, would)] : []),
    ...(unknown.count > 0
      ? [
          `${unknown.count} not there, and not added, as the file has no column setor: ${describeIds(unknown)}`,
        ]
      : []),
    ...(repeated > 0
      ? [
          `${repeated} more ${repeated === 1 ? 'line with the id and values' : 'lines with the ids and values'} of another`,
        ]
      : []),
    ...(badLines > 0 ? [describeBadLines(badLines, rejects, would)] : []),
    ...(isDryRun ? ['Nothing was changed (--dry-run).'] : []),
  ];
}

function describeCorrected({ corrected, validAgain, noLongerValid }: Imported, would: string): string {
  const validity = [
    ...(validAgain > 0 ? [`${validAgain} valid again`] : []),
    ...(noLongerValid > 0 ? [`${noLongerValid} no longer valid`] : []),
  ].join(', ');
  return `${corrected} already there, different: ${would}corrected${validity === '' ? '' : ` (${validity})`}`;
}

function describeMissing(cancelled: number, badLines: number, would: string): string {
  return badLines > 0
    ? 'tickets that are not in the file are not counted: a bad line may be one of them'
    : `${cancelled} not in the file: ${would}marked as not valid`;
}

/** Bad lines that no `rejects` takes are of a dry run: they would stop the import. */
function describeBadLines(count: number, rejects: string | undefined, would: string): string {
  const lines = `${count} bad ${count === 1 ? 'line' : 'lines'}`;
  return rejects === undefined
    ? `${lines}: nothing would be imported. ${REJECTS_HINT}`
    : `${lines} ${would}written to ${rejects}`;
}

export function describeIds({ count, first }: UnknownTickets): string {
  const left = count - first.length;
  return `${first.map(quoteValue).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** Returns lines about what may be a mistake in the file, or in the event's ID. */
export function describeDoubts(
  { newEventId, unseenCharacters, otherCase, unknownSectors, overfull }: Imported,
  { isDryRun }: { readonly isDryRun: boolean },
): string[] {
  return [
    ...(newEventId === undefined ? [] : [describeNewEvent(newEventId, isDryRun)]),
    ...describeUnseenCharacters(unseenCharacters),
    ...describeOtherCase(otherCase),
    ...describeUnknownSectors(unknownSectors, '"import --update"'),
    ...overfull.map(describeOverfull),
  ];
}

function describeNewEvent(eventId: string, isDryRun: boolean): string {
  return isDryRun
    ? `The event ${eventId} is not there: it would be made. "event list" lists those that are.`
    : `The event ${eventId} was not there before: it is made. If its ID is wrong, "event delete --event ${eventId}" takes it away.`;
}
