import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { Dialog, ErrorNote } from '../../ui/index.ts'
import HoursForm from '../overview/HoursForm.tsx'

interface HoursDialogProps {
  slug: string
  /** The name of the agent. */
  name: string
  onClose: () => void
}

/** A dialog in which admins set the hours in which an agent is expected to report. */
export default function HoursDialog({ slug, name, onClose }: HoursDialogProps) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/agents/:name/hours', { slug, name }))
  return (
    <Dialog opened onClose={onClose} title={`Expected hours of ${name}`}>
      {error && <ErrorNote error={error} retry={refetch} />}
      {data && <HoursForm slug={slug} name={name} hours={data.hours} onDone={onClose} />}
    </Dialog>
  )
}
