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
 * Shows words in a drawing, such as those of an axis. They are HTML, because programs that translate a page put
 * elements around words, and a drawing does not show elements of HTML in its own texts. The words stick out of a narrow
 * box at the position.
 */
export const Tick = ({ x, y, anchor = 'center', children }: TickProps) => (
  <foreignObject className="svc-chart-tick" x={x} y={y - 11} width={1} height={14}>
    <div style={{ justifyContent: anchor }}>{children}</div>
  </foreignObject>
)
