/** Our small charts, drawn as SVG. Values appear on hover and with keys, and each chart has its figures as text too. */
export { dayName, lastDays } from './days.ts'
export { StackedBars } from './StackedBars.tsx'
export { Strip } from './Strip.tsx'
export { sharesOf, spansOf } from './spans.ts'
export { type Column, stack } from './stack.ts'
