import { useDebouncedValue } from '@mantine/hooks'
import { quoteWord } from '@svc/api/filter'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Text } from '../../ui/index.ts'
import type { MapColors } from './draw.ts'
import { Swatch } from './Legend.tsx'
import { blockIndexOf, type MapLayout, squarePosition } from './layout.ts'
import { type Squares, stateOfAgent } from './squares.ts'
import { mapStateWords } from './states.ts'

/** The milliseconds for which a square must be pointed at, or have the focus, before its label is loaded. */
const settledMs = 150

interface SquareProps {
  slug: string
  squares: Squares
  square: number
}

/** The agent of a square, with its label as soon as that is loaded. */
function useAgent({ slug, squares, square }: SquareProps) {
  const agent = squares.agents[square] ?? 0
  const [name = ''] = squares.map.squares[agent] ?? []
  const [settled] = useDebouncedValue(name, settledMs)
  const asked = read('GET /w/:slug/fleet', { slug }, { q: `name:${quoteWord(settled)}`, limit: 5 })
  const { data } = useQuery({ ...asked, enabled: settled === name && name !== '', gcTime: 10_000 })
  const row = data?.rows.find((each) => each.name === name)
  return { name, state: stateOfAgent(squares, agent), label: row?.label ?? null }
}

interface SquareLineProps extends Omit<SquareProps, 'square'> {
  square: number | undefined
  paint: MapColors
  /** True if only screen readers get the line, because the squares show names. */
  isHidden: boolean
}

/** The line above the map about the square that has the focus: the agent's name as a link, its state and its label. */
export function SquareLine({ paint, isHidden, ...props }: SquareLineProps) {
  const { square } = props
  return (
    <div className="map-line" data-hidden={isHidden} role="status">
      {square === undefined ? (
        !isHidden && <span className="map-number">Choose a square to see its agent.</span>
      ) : (
        <FocusedSquare {...props} square={square} paint={paint} />
      )}
    </div>
  )
}

function FocusedSquare({ paint, ...props }: SquareProps & { paint: MapColors }) {
  const { name, state, label } = useAgent(props)
  return (
    <>
      <Swatch state={state} paint={paint} />
      <Link to={paths.agent} params={{ slug: props.slug, name }} tabIndex={-1}>
        <Text cut>{name}</Text>
      </Link>
      <span>{mapStateWords[state]}</span>
      {label !== null && (
        <span className="map-number">
          <Text cut>{label}</Text>
        </span>
      )}
    </>
  )
}

/** The label beside a square with the agent's name, state and label. Screen readers get SquareLine instead. */
export function SquareTip({ layout, ...props }: SquareProps & { layout: MapLayout }) {
  const { name, state, label } = useAgent(props)
  const block = layout.blocks[blockIndexOf(props.square, layout)]
  if (!block) return null
  const { x, y } = squarePosition(block, props.square, layout)
  const isRight = x > layout.width / 2
  return (
    <div
      className="map-tip"
      aria-hidden
      style={{
        top: y + layout.pitch.y + 2,
        ...(isRight ? { right: layout.width - x - layout.square.width } : { left: x }),
      }}
    >
      <strong>{name}</strong>
      <span>
        {mapStateWords[state]}
        {label !== null && (
          <>
            , <Text>{label}</Text>
          </>
        )}
      </span>
    </div>
  )
}
