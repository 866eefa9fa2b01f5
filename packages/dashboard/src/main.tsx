import './styles.ts'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root to draw the page in')
createRoot(root).render(<App />)
