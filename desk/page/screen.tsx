import { createRoot } from 'react-dom/client';
import { Desk } from './frame/desk.tsx';
import { desk, link } from './main.ts';

const strip = document.querySelector('#strip');
const place = document.querySelector('#desk');
if (!strip || !place) throw new Error('no place');
strip.replaceChildren();
createRoot(place).render(<Desk desk={desk} link={link} strip={strip} />);
