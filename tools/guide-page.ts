import type { RsbuildPlugin } from '@rsbuild/core';
import { Marked, type Tokens } from 'marked';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = 'docs/fluxo.md';
const PICTURES = 'docs';
const STYLES = ['page/design/tokens.css', 'desk/guide/guide.css'];

/** Adds a file to the build. */
type Emit = (path: string, content: string | Buffer) => void;

/**
 * Adds the operators' guide to the build as `file`.html, with its style and pictures, so that a machine without internet
 * has it. The page has no script.
 */
export function guidePage(file: string): RsbuildPlugin {
  return {
    name: 'triagem:guide-page',
    setup(api) {
      const root = api.context.rootPath;
      api.processAssets({ stage: 'additional' }, ({ compilation, sources }) => {
        for (const path of [GUIDE, 'desk/guide/index.html', ...STYLES]) {
          compilation.fileDependencies.add(join(root, path));
        }
        writeGuide(file, root, (path, content) =>
          compilation.emitAsset(path, new sources.RawSource(content, false)),
        );
      });
    },
  };
}

function writeGuide(file: string, root: string, emit: Emit): void {
  const read = (path: string): Buffer => readFileSync(join(root, path));
  const style = STYLES.map((path) => read(path).toString()).join('\n');
  const styleAddress = `/${emitHashed(`static/css/${file}`, 'css', Buffer.from(style), emit)}`;
  const text = renderGuide(read(GUIDE).toString(), (name) => {
    const picture = read(join(PICTURES, name));
    const address = `/${emitHashed(`static/image/${name.replace(/\.png$/, '')}`, 'png', picture, emit)}`;
    return { address, ...pngSize(picture) };
  });
  const page = read('desk/guide/index.html').toString();
  emit(
    `${file}.html`,
    page.replace('GUIDE_STYLE', styleAddress).replace('<!-- GUIDE_TEXT -->', () => text),
  );
}

/** Names a file by the hash of its content. Returns its address. */
function emitHashed(path: string, extension: string, content: Buffer, emit: Emit): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
  const address = `${path}.${hash}.${extension}`;
  emit(address, content);
  return address;
}

interface Picture {
  readonly address: string;
  readonly width: number;
  readonly height: number;
}

/** Renders Markdown as HTML. `pictureOf` finds a picture by its name in the text. */
export function renderGuide(markdown: string, pictureOf: (name: string) => Picture): string {
  const page = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      image({ href, text }: Tokens.Image) {
        const { address, width, height } = pictureOf(href);
        // At the width of the text a picture is hard to read, so it links to its full size.
        const picture = `<img src="${address}" alt="${text.replaceAll('"', '&quot;')}" width="${width}" height="${height}" loading="lazy">`;
        return `<a href="${address}">${picture}</a>`;
      },
    },
  });
  return page.parse(markdown, { async: false });
}

/** Makes the same anchors as GitHub, so that links work in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Reads the size from the header of a PNG. */
function pngSize(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
