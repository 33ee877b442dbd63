import type { Imported } from './import-file.ts';
import type { ImportOptions } from './import-options.ts';

/** What was done, or would be, in lines. */
export function describeImported(
  { inserted, same, corrected, different, cancelled }: Imported,
  { update, cancelMissing }: Pick<ImportOptions, 'update' | 'cancelMissing'>,
  isDryRun: boolean,
): string[] {
  const would = isDryRun ? 'would be ' : '';
  return [
    `${inserted} ${would}inserted`,
    `${same} already there, the same`,
    ...(update ? [`${corrected} already there, different: ${would}corrected`] : []),
    `${different} already there, different${update ? ' in entrou alone' : ''}: not changed`,
    ...(cancelMissing ? [`${cancelled} not in the file: ${would}marked as not valid`] : []),
    ...(isDryRun ? ['Nothing was changed (--dry-run).'] : []),
  ];
}
