import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'

/** A button that downloads the list of a page as CSV from `href`. */
export const DownloadCsv = ({ href }: { href: string }) => (
  <Button component="a" variant="default" leftSection={<IconDownload size={16} aria-hidden />} href={href} download>
    Download CSV
  </Button>
)
