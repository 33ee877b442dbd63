import { createRoot } from 'react-dom/client';
import { forgetKept } from '../../desk/page/actions/kept-state.ts';
import { Desk } from '../../desk/page/frame/desk.tsx';
import { asked, openView } from './main.ts';
import { type GalleryView, VIEWS, type ViewName } from './views.ts';

const strip = document.querySelector('#strip');
const place = document.querySelector('#desk');
if (!strip || !place) throw new Error('no place');
strip.replaceChildren();
const root = createRoot(place);
let drawn = 0;

const [title, badge] = ['h1', '.demonstration'].map((words) => document.querySelector(words));
const usual = { title: title?.textContent ?? '', tooltip: title?.getAttribute('title') ?? '' };

/** Fills in what the server fills into the page. */
function drawHeader(header: GalleryView['header']): void {
  const words = header?.title ?? usual.title;
  title?.replaceChildren(words);
  title?.setAttribute('title', usual.tooltip.replace(usual.title, words));
  badge?.replaceChildren(header?.badge ?? '');
}

/** Draws a view in its first state, also after another view. */
function drawView(name: string): void {
  const gallery = openView(name);
  drawHeader(VIEWS[name as ViewName].header);
  forgetKept();
  drawn += 1;
  root.render(<Desk key={drawn} desk={gallery.desk} link={undefined} strip={strip as Element} />);
  // Tests change the stand-in and have it drawn.
  Object.assign(window, { gallery });
}

Object.assign(window, { drawView });
if (asked === undefined) {
  root.render(
    <ul>
      {Object.entries(VIEWS).map(([name, { shows }]) => (
        <li key={name}>
          <a href={`?view=${name}`}>{name}</a> {shows}
        </li>
      ))}
    </ul>,
  );
} else drawView(asked);
