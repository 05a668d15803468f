// The colours that the reader chose, set before anything is drawn; without a choice those of the system count.
"use strict";
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("tenor-theme"); } catch { /* Storage may be switched off. */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
