/**
 * The part of the page's script that detects what a person cannot see. It is a string for the reason given in
 * `page-script.ts`. Colours are not compared: white on white counts as visible. Folds (`details`) count as open.
 */
export const pageVisibility = String.raw`
  const openFolds = () => {
    for (const fold of document.querySelectorAll("details")) {
      // Of those that share a name only one can be open.
      fold.removeAttribute("name")
      fold.open = true
    }
  }

  const isRightToLeft = getComputedStyle(document.documentElement).direction === "rtl"

  /** What is faded in is there to be read, once somebody scrolls to it. */
  const isFadedIn = ({ animationName, transitionProperty, transitionDuration }) =>
    animationName !== "none" || (/\b(all|opacity)\b/.test(transitionProperty) && /[1-9]/.test(transitionDuration))

  const isTransparent = (style) =>
    /opacity\(0(\.0*)?%?\)/.test(style.filter) || (Number(style.opacity) === 0 && !isFadedIn(style))

  const isCutAway = ({ clip, clipPath, position }) => {
    if (/^inset\(([5-9]\d|\d{3,})(\.\d+)?%/.test(clipPath) || /^circle\(0(px|%)/.test(clipPath)) return true
    const sides = /^rect\(([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px, ([-\d.]+)px\)/.exec(clip)
    if (sides === null || (position !== "absolute" && position !== "fixed")) return false
    const [top, right, bottom, left] = sides.slice(1).map(Number)
    return right - left <= 1 || bottom - top <= 1
  }

  const isOutOfSight = (element, { display, overflow, transform }) => {
    const { width, height, right, bottom } = rectangleOf(element)
    if (width === 0 || height === 0 || (width <= 1 && height <= 1)) {
      const isBox = display !== "inline" && display !== "contents"
      return transform.startsWith("matrix(0, 0, 0, 0,") || (isBox && overflow !== "visible")
    }
    return bottom + scrollY <= 0 || (right + scrollX <= 0 && !isRightToLeft)
  }

  /** With all that is inside. */
  const isHidden = (element, style) =>
    style.display === "none" || style.contentVisibility === "hidden" || isTransparent(style) || isCutAway(style) ||
    isOutOfSight(element, style)

  /** What is inside may be visible again. */
  const showsText = ({ visibility, fontSize, textIndent }) =>
    visibility === "visible" && Number.parseFloat(fontSize) > 0 && !(Number.parseFloat(textIndent) <= -999)
`
