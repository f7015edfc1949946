#!/bin/sh
# Makes the PDF and XLSX files of this folder. They are committed, so this runs only to change them.
# Debian: apt-get install -y --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui qpdf poppler-utils img2pdf
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# page NUMBER TEXT: one page of an HTML file
page() {
	[ "$1" -gt 1 ] && break='style="page-break-before: always"' || break=''
	echo "<p $break>$2</p>"
}
convert() {
	soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$@" --outdir "$work" >/dev/null 2>&1
}
pdf() {
	convert pdf:writer_web_pdf_Export "$work/$1.html"
}

{
	page 1 'Goods may be returned within thirty days. Keep the receipt, because we ask for it.'
	page 2 'Money is refunded within a week. Refunds go to the card that was used.'
	page 3 'Parcels leave on the day of the order. Delivery takes two working days.'
} >"$work/guide.html"
for number in $(seq 60); do
	page "$number" "This is page $number of the handbook. Rule $number says what to do on day $number."
done >"$work/handbook.html"
printf 'Name,Price,Size\nLadder,79.5,"2 m, foldable"\nHammer,12,\nSaw,20,"50 cm"\n' >"$work/prices.csv"

pdf guide
pdf handbook
# A page as a picture, without text.
pdftoppm -r 30 -gray -png -singlefile "$work/guide.pdf" "$work/guide"
img2pdf -o "$work/scan.pdf" "$work/guide.png"
convert xlsx "$work/prices.csv"

cp "$work/guide.pdf" "$work/handbook.pdf" "$work/scan.pdf" "$work/prices.xlsx" .
qpdf --encrypt secret owner 256 -- guide.pdf encrypted.pdf
head -c 3000 guide.pdf >broken.pdf
