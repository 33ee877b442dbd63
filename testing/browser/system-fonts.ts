import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeTestFolder } from '../folder.ts';

const { resolve } = createRequire(import.meta.url);
const LIBERATION = resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf');
const DEJAVU = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
const DEJAVU_SERIF = resolve('dejavu-fonts-ttf/ttf/DejaVuSerif.ttf');

/** The fonts that a machine may have: Chromium's name of the family, and the file. `undefined`: no font at all. */
export const FONT_SETS = {
  'Liberation only': { family: 'Arimo', file: LIBERATION },
  'DejaVu only': { family: 'DejaVu Sans', file: DEJAVU },
  'one that no stand-in knows': { family: 'DejaVu Serif', file: DEJAVU_SERIF },
  none: undefined,
} as const;

export type FontSet = keyof typeof FONT_SETS;

/** Arimo has the metrics of Liberation Sans, and is found here by that name, as on Debian. */
const ARIMO_IS_LIBERATION = `<match target="scan">
  <test name="family"><string>Arimo</string></test>
  <edit name="family" mode="assign"><string>Liberation Sans</string></edit>
  <edit name="fullname" mode="assign"><string>Liberation Sans</string></edit>
  <edit name="postscriptname" mode="assign"><string>LiberationSans</string></edit>
</match>`;

/** Returns the environment of a Chromium with this set of fonts alone. */
export function environmentWithFonts(set: FontSet): Record<string, string> {
  const font = FONT_SETS[set];
  const folder = makeTestFolder(font ? { 'fonts/font.ttf': readFileSync(font.file) } : {});
  const configuration = join(folder, 'fonts.conf');
  writeFileSync(
    configuration,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${join(folder, 'fonts')}</dir>
<cachedir>${join(folder, 'cache')}</cachedir>
${ARIMO_IS_LIBERATION}
</fontconfig>
`,
  );
  return { FONTCONFIG_FILE: configuration };
}
