import type { WishState } from '@svc/api'
import { IconArrowNarrowRight } from '@tabler/icons-react'
import { Text, Tone } from '../../ui/index.ts'
import { isOutstanding, wishWords } from './looks.ts'
import '../updates.css'

interface WishedProps {
  running: string | null
  wished: string | null
  state: WishState
  /** True to show only the version, with its state on hover. */
  short?: boolean
}

/** Shows the requested version beside the running one; nothing if both are the same. */
export function WishedVersion({ running, wished, state, short = false }: WishedProps) {
  if (!isOutstanding(wished, running)) return null
  const { word, tone } = wishWords[state]
  return (
    <span className="up-wished" title={short ? `${wished} requested: ${word}` : undefined}>
      <IconArrowNarrowRight size={14} aria-hidden />
      <span className="svc-hidden">requested: </span>
      <Text cut={short}>{wished}</Text>
      {short ? <span className="svc-hidden">, {word}</span> : <Tone tone={tone}>{word}</Tone>}
    </span>
  )
}
