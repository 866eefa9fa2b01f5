import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import './copy.css'

interface CopyLinesProps {
  /** The text that is shown and copied, without any change. */
  text: string
  /** The name of the text. Screen readers read the button as "Copy" with this name, such as `Copy token`. */
  label: string
}

/** Shows lines of text with a button that copies them. */
export function CopyLines({ text, label }: CopyLinesProps) {
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <div className="svc-copy">
      <pre>
        {text.split(/(\s+)/).map((part, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
          part.trim() === '' ? part : <span key={i}>{part}</span>,
        )}
      </pre>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => clipboard.copy(text)}
        leftSection={clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        aria-label={`Copy ${label}`}
      >
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="svc-hidden">
        {clipboard.copied ? `Copied ${label}` : ''}
      </span>
    </div>
  )
}
