import katex from 'katex';
import 'katex/dist/katex.min.css';

const longest = 8000;
/** A formula that defines names can grow to any size: it must be short. */
const longestDefining = 300;
const defining = /\\(?:[gex]?def|(?:re|provide)?(?:new)?command|let|futurelet)(?![a-zA-Z])/;
/** Milliseconds of drawing after which the page gets its turn. */
const slice = 12;

/** The letters of formulas, fetched before the network may be gone. */
export async function fetchFonts(): Promise<void> {
  await Promise.all(['Main', 'Math', 'AMS', 'Size1', 'Size2', 'Size3', 'Size4'].map((name) => document.fonts.load(`1em KaTeX_${name}`)));
}

/** Draws formulas when they come near to what is seen, some at a time; what it gives ends that. */
export function draw(places: HTMLElement[]): () => void {
  const waiting = new Set<HTMLElement>();
  let turn = 0;
  const work = () => {
    const began = performance.now();
    turn = 0;
    for (const place of waiting) {
      waiting.delete(place);
      drawOne(place);
      if (performance.now() - began > slice) break;
    }
    if (waiting.size > 0) turn = window.setTimeout(work, slice);
  };
  const near = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        waiting.add(target as HTMLElement);
      }
      if (waiting.size > 0 && turn === 0) turn = window.setTimeout(work);
    },
    { rootMargin: '1000px' },
  );
  for (const place of places) near.observe(place);
  const all = () => places.filter((place) => !place.hasAttribute('role')).forEach(drawOne); // paper shows what nobody has scrolled to
  addEventListener('beforeprint', all);
  return () => {
    near.disconnect();
    clearTimeout(turn);
    removeEventListener('beforeprint', all);
  };
}

function drawOne(place: HTMLElement): void {
  const tex = place.dataset.tex ?? '';
  if (tex.length > (defining.test(tex) ? longestDefining : longest)) return;
  const drawn = document.createElement('span');
  const options = { displayMode: place.classList.contains('display'), throwOnError: true, maxExpand: 300, maxSize: 40, strict: 'ignore', trust: false, output: 'html' } as const;
  try {
    katex.render(tex, drawn, options);
  } catch (error) {
    // A command that nobody defined stands as its name in a formula that is drawn otherwise; one that cannot be read stays as it is written.
    if (!(error instanceof katex.ParseError) || !error.message.includes('Undefined control sequence')) {
      place.classList.add('broken');
      return;
    }
    katex.render(tex, drawn, { ...options, throwOnError: false, errorColor: 'currentColor' });
    if (drawn.querySelector('.katex-error')) {
      place.classList.add('broken');
      return;
    }
  }
  // Read out as it is written; the drawing is for the eyes.
  place.setAttribute('role', 'math');
  place.setAttribute('aria-label', tex);
  place.replaceChildren(drawn);
}
