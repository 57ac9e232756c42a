/** How a stroke of a picture is drawn: the ground, paper, a soft line, the accent's line and dot, the warm second colour. */
export type Ink = 'wash' | 'paper' | 'line' | 'ink' | 'dot' | 'warm';
type Stroke = readonly [Ink, string];

const box = (x: number, y: number, width: number, height: number, r = 4) =>
  `M${x + r} ${y}h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - 2 * r}a${r} ${r} 0 0 1 -${r} ${r}h-${width - 2 * r}a${r} ${r} 0 0 1 -${r} -${r}v-${height - 2 * r}a${r} ${r} 0 0 1 ${r} -${r}z`;
const disc = (x: number, y: number, r: number) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`;
const ground: Stroke = ['wash', 'M18 62c0-30 26-46 62-46s62 14 62 44-24 42-60 42-64-10-64-40z'];

/** Pictures of empty places, 160 by 112. Drawn for Stoa. */
export const pictures = {
  boxes: [ground, ['paper', box(38, 32, 24, 30)], ['warm', box(66, 24, 18, 38)], ['paper', box(88, 36, 30, 26)], ['ink', 'M44 44h12M95 46h16'], ['line', 'M28 62h104M28 94h104'], ['paper', box(44, 72, 36, 22)], ['line', 'M90 94l8-22M98 94l8-22']],
  search: [ground, ['paper', disc(72, 50, 24)], ['ink', `${disc(72, 50, 24)}M90 68l20 20`], ['line', 'M60 45h24M60 55h14'], ['warm', disc(118, 34, 4)], ['dot', disc(40, 82, 3)]],
  bell: [ground, ['paper', 'M80 28c-14 0-22 10-22 24v14l-8 14h60l-8-14V52c0-14-8-24-22-24z'], ['ink', 'M80 22v6M72 80a8 8 0 0 0 16 0'], ['line', 'M118 34c4 4 6 9 6 15M42 34c-4 4-6 9-6 15'], ['warm', disc(101, 34, 6)]],
  tray: [ground, ['line', 'M80 18v26M70 36l10 10 10-10'], ['paper', 'M36 64l11-24h12l4 8h34l4-8h12l11 24v28H36z'], ['ink', 'M36 64h26l6 10h24l6-10h26'], ['warm', disc(80, 58, 4)]],
  done: [ground, ['paper', box(50, 22, 60, 74, 6)], ['warm', box(66, 16, 28, 13, 4)], ['ink', 'M60 46l5 5 9-10M60 68l5 5 9-10'], ['line', 'M82 47h18M82 69h18M82 86h12']],
  notes: [ground, ['warm', box(62, 20, 50, 62, 5)], ['paper', box(48, 30, 52, 64, 5)], ['ink', 'M57 45h24'], ['line', 'M57 56h34M57 66h34M57 76h22'], ['dot', disc(92, 45, 3)]],
  map: [ground, ['line', 'M48 76L78 40L114 60M78 40L82 88L114 60'], ['paper', `${disc(48, 76, 9)}${disc(114, 60, 10)}`], ['warm', disc(82, 88, 7)], ['paper', disc(78, 40, 13)], ['ink', 'M73 40l4 4 7-8']],
  chart: [ground, ['line', 'M42 22v70h78'], ['paper', box(52, 66, 14, 26, 2)], ['warm', box(74, 54, 14, 38, 2)], ['paper', box(96, 42, 14, 50, 2)], ['ink', 'M48 56l22-12 20 4 24-22'], ['dot', disc(114, 26, 4)]],
  key: [ground, ['paper', disc(60, 56, 20)], ['ink', `${disc(60, 56, 20)}M80 56h42v13M106 56v10`], ['warm', disc(60, 56, 7)]],
  compare: [ground, ['paper', box(34, 26, 40, 62, 5)], ['paper', box(86, 26, 40, 62, 5)], ['line', 'M43 40h22M43 62h22M43 73h14M95 40h22M95 73h14'], ['warm', box(43, 47, 22, 8, 2)], ['ink', 'M95 51h22M95 62h16']],
  lost: [ground, ['line', 'M80 20v78M66 98h28'], ['paper', 'M46 30h56l12 10-12 10H46z'], ['warm', 'M114 60H64l-12 9 12 9h50z'], ['ink', 'M58 40h30']],
  person: [ground, ['paper', 'M48 94c0-20 13-30 32-30s32 10 32 30z'], ['paper', disc(80, 44, 16)], ['ink', 'M74 46a7 7 0 0 0 12 0'], ['warm', disc(108, 36, 5)]],
} as const satisfies Record<string, readonly Stroke[]>;

export type Picture = keyof typeof pictures;
