import type { ReactNode } from 'react'
import './charts.css'

interface TickProps {
  /** The position in the drawing to which the words are aligned, in pixels; `y` is their baseline. */
  x: number
  y: number
  anchor?: 'start' | 'center' | 'end' | undefined
  children: ReactNode
}

/**
 * Shows words in an SVG drawing, such as a label of an axis. The words are HTML, because translation programs wrap
 * words in HTML elements, which an SVG `<text>` does not show. Their box is one pixel wide, so that they begin, are
 * centred or end at `x`, and they overflow it.
 */
export const Tick = ({ x, y, anchor = 'center', children }: TickProps) => (
  <foreignObject className="svc-chart-tick" x={x} y={y - 11} width={1} height={14}>
    <div style={{ justifyContent: anchor }}>{children}</div>
  </foreignObject>
)
