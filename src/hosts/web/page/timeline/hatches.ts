/** The fill of waiting parts. */

/** Hatched patterns, each made once. */
export class Hatches {
  private readonly patterns = new Map<string, CanvasPattern | string>()

  of(context: CanvasRenderingContext2D, color: string): CanvasPattern | string {
    const known = this.patterns.get(color)
    if (known !== undefined) return known
    const pattern = context.createPattern(tileOf(color), "repeat") ?? color
    this.patterns.set(color, pattern)
    return pattern
  }
}

const tileOf = (color: string): HTMLCanvasElement => {
  const tile = document.createElement("canvas")
  tile.width = tile.height = 6
  const brush = tile.getContext("2d")!
  brush.strokeStyle = color
  brush.lineWidth = 1.2
  brush.globalAlpha = 0.75
  for (const x of [-6, 0, 6]) {
    brush.moveTo(x, 6)
    brush.lineTo(x + 6, 0)
  }
  brush.stroke()
  return tile
}
